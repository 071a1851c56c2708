import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isObject } from '../wire/json-object.js';
import { decisionCodec, type RouteRequest } from '../wire/route.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { decisionText, explanation } from './decision-text.js';
import { EXIT } from './exit-codes.js';
import { numberOf } from './number-of.js';
import { printableJson } from './printable.js';
import { withReach } from './with-reach.js';

/** What counts in this process; `--threshold` is the request's own here. */
const SETTINGS = ['manifests', 'routes', 'model', 'weights', 'fallbackAgent', 'logLevel'] as const;

interface RouteFlags {
  readonly payload?: string;
  readonly agent?: string;
  readonly capability?: string;
  readonly topK?: number;
  readonly threshold?: number;
  readonly filterAgent?: string[];
  readonly filterTag?: string[];
  readonly filterLabel?: Record<string, string>;
  readonly filterTeam?: string;
  readonly routeId?: string;
  readonly choice?: string;
  readonly explain?: true;
  readonly json?: true;
  readonly url?: string;
}

const collect = (text: string, before: string[] = []) => [...before, text];

function collectLabel(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It is not NAME=VALUE.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** The payload of `--payload`: JSON, or `@` and the name of a file of JSON. */
async function payloadOf(given: string, command: Command): Promise<Record<string, unknown>> {
  const file = given.startsWith('@') ? given.slice(1) : undefined;
  const source = file ?? '--payload';
  const text = file === undefined ? given : await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return command.error(`error: the payload file ${source} cannot be read`);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { ...value };
  } catch {
    return command.error(`error: ${source} is not valid JSON`);
  }
  return command.error(`error: ${source} is not a JSON object`);
}

function filterOf(flags: RouteFlags): Pick<RouteRequest, 'filter'> {
  const filter = {
    ...(flags.filterAgent && { agents: flags.filterAgent }),
    ...(flags.filterTag && { tags: flags.filterTag }),
    ...(flags.filterLabel && { labels: flags.filterLabel }),
    ...(flags.filterTeam && { team: flags.filterTeam }),
  };
  return Object.keys(filter).length === 0 ? {} : { filter };
}

async function requestOf(
  intent: string | undefined,
  flags: RouteFlags,
  command: Command,
): Promise<RouteRequest> {
  const { payload, agent, capability, topK, threshold, routeId, choice, explain } = flags;
  if ((intent ?? agent ?? capability ?? routeId) === undefined) {
    return command.error('error: say what you need: an INTENT, --agent, --capability or --route-id');
  }
  return {
    ...(intent !== undefined && { intent }),
    ...(payload !== undefined && { payload: await payloadOf(payload, command) }),
    ...(agent !== undefined && { agentName: agent }),
    ...(capability !== undefined && { capabilityId: capability }),
    ...(topK !== undefined && { topK }),
    ...(threshold !== undefined && { threshold }),
    ...(routeId !== undefined && { routeId }),
    ...(choice !== undefined && { choice }),
    ...(explain && { explain }),
    ...filterOf(flags),
  };
}

/** `route "INTENT"`: who would do it, and why. Exit code 0 where it is routed, else 1. */
export function addRouteCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('route')
    .description('say who would do something, and why')
    .argument('[intent]', 'what is needed, in plain language')
    .option('--payload <json or @file>', 'the data for the work')
    .option('--agent <name>', 'ask this agent instead of searching for one')
    .option('--capability <id>', 'take this capability instead of searching')
    .option('--top-k <count>', 'how many candidates to list', numberOf)
    .option('--threshold <0..1>', 'the least confidence to act on', numberOf)
    .option('--filter-agent <name>', 'only this agent; may be repeated', collect)
    .option('--filter-tag <tag>', 'only with this tag; may be repeated', collect)
    .option('--filter-label <name=value>', 'only with this label; may be repeated', collectLabel)
    .option('--filter-team <team>', 'only agents of this team')
    .option('--route-id <id>', 'the clarify that this answers')
    .option('--choice <agent/capability>', 'the choice among those of the clarify')
    .option('--explain', 'show every candidate with its signals and why it lost')
    .option('--json', 'print the answer as the API gives it')
    .option('--url <url>', 'ask this server instead of this process (REACH_URL)');
  addConfigFlags(command, SETTINGS);

  act(command, async (intent: string | undefined) => {
    const flags = command.opts<RouteFlags>();
    const request = await requestOf(intent, flags, command);
    const settings = settingsOf(command, SETTINGS, services.env);
    return withReach(services, flags.url, settings, async (reach) => {
      const decision = await reach.route(request);
      if (flags.json) {
        services.stdout.write(`${printableJson(decisionCodec.encode(decision))}\n`);
      } else {
        services.stdout.write(decisionText(decision, reach.answerBy));
        if (flags.explain) services.stdout.write(`\n${explanation(decision)}`);
      }
      return decision.outcome === 'routed' ? EXIT.done : EXIT.notRouted;
    });
  });
}
