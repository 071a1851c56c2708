import type { Command } from 'commander';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { printableJson } from './printable.js';
import { type RemoteReach, remoteReach } from './remote-reach.js';

/** What a command that only a server can answer prints: a text, or the answer as the API gives it. */
export interface ServerAnswer {
  readonly text: string;
  readonly wire: unknown;
  readonly exitCode: number;
}

/** Makes a command ask a server, named by --url or REACH_URL, and print what it answers; `--json` prints it as it came. */
export function askServer<Arguments extends unknown[]>(
  command: Command,
  { env, stdout }: CliServices,
  act: Act,
  ask: (reach: RemoteReach, ...given: Arguments) => Promise<ServerAnswer>,
): void {
  command
    .option('--json', 'print the answer as the API gives it')
    .option('--url <url>', 'the server to ask (REACH_URL)');
  act(command, async (...given: Arguments) => {
    const { json, url } = command.optsWithGlobals<{ json?: true; url?: string }>();
    const server = url || env.REACH_URL;
    if (!server) return command.error('error: name a server: --url or REACH_URL');
    const { text, wire, exitCode } = await ask(remoteReach(server), ...given);
    stdout.write(json ? `${printableJson(wire)}\n` : text);
    return exitCode;
  });
}
