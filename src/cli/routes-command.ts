import type { Command } from 'commander';
import {
  type RecordedDecision,
  RecordedDecisionSchema,
  type RecordedDecisionWire,
  recordedDecisionCodec,
} from '../wire/records.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { printable } from './printable.js';
import { remoteLines } from './remote-lines.js';
import { baseOf, fits, jsonOf, noServer } from './remote-reach.js';
import { routesText } from './routes-text.js';

/** The newest; more of them are read with another tool. */
const SHOWN = 50;

interface RoutesFlags {
  readonly hours: string;
  readonly intent?: string;
  readonly agent?: string;
  readonly json?: true;
  readonly url?: string;
}

function exportUrl(server: string, { hours, intent, agent }: RoutesFlags): URL {
  const url = new URL('api/v1/routes/export', baseOf(server));
  const query = { hours, ...(intent !== undefined && { intent }), ...(agent !== undefined && { agent }) };
  url.search = new URLSearchParams(query).toString();
  return url;
}

function decisionIn(line: string, url: URL): RecordedDecision {
  const wire = jsonOf(line);
  if (!fits(RecordedDecisionSchema, wire)) throw noServer(url);
  return recordedDecisionCodec.decode(wire as RecordedDecisionWire);
}

/** `routes`: what a server has decided lately. */
export function addRoutesCommand(program: Command, { env, stdout }: CliServices, act: Act): void {
  const command = program
    .command('routes')
    .description('list the decisions that a server has recorded')
    .option('--hours <1..168>', 'how far back', '24')
    .option('--intent <pattern>', 'only intents that have this in them, or that fit this /regex/')
    .option('--agent <name>', 'only decisions for this agent')
    .option('--json', 'print all of them, each as one line of JSON')
    .option('--url <url>', 'the server to ask (REACH_URL)');

  act(command, async () => {
    const flags = command.opts<RoutesFlags>();
    const server = flags.url || env.REACH_URL;
    if (!server) return command.error('error: name a server: --url or REACH_URL');
    const url = exportUrl(server, flags);
    const newest: RecordedDecision[] = [];
    let count = 0;
    for await (const line of remoteLines(url)) {
      const decision = decisionIn(line, url);
      count += 1;
      if (flags.json) stdout.write(`${printable(line)}\n`);
      else if (newest.push(decision) > SHOWN) newest.shift();
    }
    if (!flags.json) stdout.write(routesText(newest, count - newest.length));
    return EXIT.done;
  });
}
