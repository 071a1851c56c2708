import type { Command } from 'commander';
import { decisionCodec, type RouteRequest } from '../wire/route.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { decisionText, explanation } from './decision-text.js';
import { EXIT } from './exit-codes.js';
import { numberOf } from './number-of.js';
import { printableJson } from './printable.js';
import { addRequestFlags, type RequestFlags, requestOf } from './request-flags.js';
import { withReach } from './with-reach.js';

/** What counts in this process; `--threshold` is the request's own here. */
const SETTINGS = ['manifests', 'routes', 'model', 'weights', 'fallbackAgent', 'logLevel'] as const;

interface RouteFlags extends RequestFlags {
  readonly topK?: number;
  readonly explain?: true;
  readonly json?: true;
  readonly url?: string;
}

/** `route "INTENT"`: who would do it, and why. Exit code 0 where it is routed, else 1. */
export function addRouteCommand(program: Command, services: CliServices, act: Act): void {
  const command = addRequestFlags(program.command('route').description('say who would do something, and why'))
    .option('--top-k <count>', 'how many candidates to list', numberOf)
    .option('--explain', 'show every candidate with its signals and why it lost')
    .option('--json', 'print the answer as the API gives it')
    .option('--url <url>', 'ask this server instead of this process (REACH_URL)');
  addConfigFlags(command, SETTINGS);

  act(command, async (intent: string | undefined) => {
    const flags = command.opts<RouteFlags>();
    const { topK, explain } = flags;
    const request: RouteRequest = {
      ...(await requestOf(intent, flags, command)),
      ...(topK !== undefined && { topK }),
      ...(explain && { explain }),
    };
    const settings = settingsOf(command, SETTINGS, services.env);
    return withReach(services, flags.url, settings, async (reach) => {
      const decision = await reach.route(request);
      if (flags.json) {
        services.stdout.write(`${printableJson(decisionCodec.encode(decision))}\n`);
      } else {
        services.stdout.write(decisionText(decision, reach.answerBy));
        if (explain) services.stdout.write(`\n${explanation(decision)}`);
      }
      return decision.outcome === 'routed' ? EXIT.done : EXIT.notRouted;
    });
  });
}
