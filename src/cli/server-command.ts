import type { Command } from 'commander';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { printableJson } from './printable.js';
import { type RemoteReach, remoteReach } from './remote-reach.js';
import { addServerFlag, serverOf } from './server-url.js';

/** What a command that only a server can answer prints: a text, or the answer as the API gives it. */
export interface ServerAnswer {
  /** Ends with a newline. */
  readonly text: string;
  readonly wire: unknown;
  /** By default EXIT.done. */
  readonly exitCode?: number;
}

/** Makes a command ask a server, named by --url or REACH_URL, and print what it answers; `--json` prints it as it came. */
export function askServer<Arguments extends unknown[]>(
  command: Command,
  { env, stdout }: CliServices,
  act: Act,
  ask: (reach: RemoteReach, ...given: Arguments) => Promise<ServerAnswer>,
): void {
  addServerFlag(command.option('--json', 'print the answer as the API gives it'));
  act(command, async (...given: Arguments) => {
    const { json } = command.optsWithGlobals<{ json?: true }>();
    const { text, wire, exitCode = EXIT.done } = await ask(remoteReach(serverOf(command, env)), ...given);
    stdout.write(json ? `${printableJson(wire)}\n` : text);
    return exitCode;
  });
}
