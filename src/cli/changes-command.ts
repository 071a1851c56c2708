import type { Command } from 'commander';
import {
  ChangeSchema,
  type ChangeWire,
  changeCodec,
  GapSchema,
  type GapWire,
  gapCodec,
} from '../wire/live.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { addLiveFlags, type EventText, runLiveCommand } from './live-command.js';
import { changeText, gapText } from './live-text.js';

const TEXTS: Readonly<Record<string, EventText>> = {
  change: { schema: ChangeSchema, textOf: (wire: ChangeWire) => changeText(changeCodec.decode(wire)) },
  gap: { schema: GapSchema, textOf: (wire: GapWire) => gapText(gapCodec.decode(wire)) },
};

/** `changes`: what becomes of the instances of a server, until Ctrl+C. */
export function addChangesCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('changes')
    .description('follow what becomes of the instances of a server')
    .option('--agent <name>', 'only instances of this agent')
    .option('--capability <id>', 'only instances of agents that have this capability');
  addLiveFlags(command);

  act(command, () => {
    const { agent, capability } = command.opts<{ agent?: string; capability?: string }>();
    const query = { ...(agent && { agent }), ...(capability && { capability }) };
    return runLiveCommand(command, services, 'api/v1/changes', query, TEXTS);
  });
}
