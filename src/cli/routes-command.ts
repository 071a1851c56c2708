import type { Command } from 'commander';
import type { RecordedDecision } from '../wire/records.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { exportedRoutes } from './exported-routes.js';
import { printable } from './printable.js';
import { routesText } from './routes-text.js';
import { addServerFlag, serverOf } from './server-url.js';

/** The newest; more of them are read with another tool. */
const SHOWN = 50;

interface RoutesFlags {
  readonly hours: string;
  readonly intent?: string;
  readonly agent?: string;
  readonly json?: true;
}

/** `routes`: what a server has decided lately. */
export function addRoutesCommand(program: Command, { env, stdout }: CliServices, act: Act): void {
  const command = program
    .command('routes')
    .description('list the decisions that a server has recorded')
    .option('--hours <1..168>', 'how far back', '24')
    .option('--intent <pattern>', 'only intents that have this in them, or that fit this /regex/')
    .option('--agent <name>', 'only decisions for this agent')
    .option('--json', 'print all of them, each as one line of JSON');
  addServerFlag(command);

  act(command, async () => {
    const { hours, intent, agent, json } = command.opts<RoutesFlags>();
    const query = { hours, ...(intent !== undefined && { intent }), ...(agent !== undefined && { agent }) };
    const newest: RecordedDecision[] = [];
    let count = 0;
    for await (const { line, decision } of exportedRoutes(serverOf(command, env), query)) {
      count += 1;
      if (json) stdout.write(`${printable(line)}\n`);
      else if (newest.push(decision) > SHOWN) newest.shift();
    }
    if (!json) stdout.write(routesText(newest, count - newest.length));
    return EXIT.done;
  });
}
