import type { Command } from 'commander';
import {
  LostSchema,
  WatchedDecisionSchema,
  type WatchedDecisionWire,
  watchedDecisionCodec,
} from '../wire/live.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { addLiveFlags, type EventText, runLiveCommand } from './live-command.js';
import { lostText, watchedText } from './live-text.js';

const TEXTS: Readonly<Record<string, EventText>> = {
  decision: {
    schema: WatchedDecisionSchema,
    textOf: (wire: WatchedDecisionWire) => watchedText(watchedDecisionCodec.decode(wire)),
  },
  lost: { schema: LostSchema, textOf: lostText },
};

/** `watch [PATTERN]`: every decision of a server as it is made, until Ctrl+C. */
export function addWatchCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('watch')
    .description('watch the decisions of a server as it makes them')
    .argument('[pattern]', 'only intents that have this in them, or that fit this /regex/');
  addLiveFlags(command);

  act(command, (pattern: string | undefined) => {
    const query = pattern === undefined ? {} : { intent_pattern: pattern };
    return runLiveCommand(command, services, 'api/v1/watch', query, TEXTS);
  });
}
