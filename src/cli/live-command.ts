import type { Command } from 'commander';
import type { TSchema } from 'typebox';
import type { CliServices } from './cli-services.js';
import { type FollowedEvent, followServer } from './follow-server.js';
import { printable } from './printable.js';
import { fits, noServer } from './remote-answer.js';
import { addServerFlag, serverOf } from './server-url.js';
import { untilStopped } from './until-stopped.js';

/** How an event of one name looks in wire form, and to a person. */
export interface EventText {
  readonly schema: TSchema;
  /** Ends with a newline. */
  readonly textOf: (data: never) => string;
}

/** The flags of a command that follows a server. */
export function addLiveFlags(command: Command): Command {
  return addServerFlag(command.option('--json', 'print each event as one line of JSON'));
}

/** Prints the events of a server under `path` until a signal ends it. What it knows no text for is passed over. */
export function runLiveCommand(
  command: Command,
  { env, signals, stdout, stderr }: CliServices,
  path: string,
  query: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, EventText>>,
): Promise<number> {
  const { json } = command.opts<{ json?: true }>();
  const url = new URL(path, serverOf(command, env));
  url.search = new URLSearchParams(query).toString();

  const show = ({ event, data }: FollowedEvent) => {
    const text = Object.hasOwn(texts, event) ? texts[event] : undefined;
    if (text === undefined) return;
    if (!fits(text.schema, data)) throw noServer(url);
    stdout.write(json ? `${printable(JSON.stringify({ event, data }))}\n` : text.textOf(data as never));
  };
  const onThere = () => stderr.write(`agent-reach: following ${url.origin}; Ctrl+C ends it\n`);
  const onLost = () => stderr.write(`agent-reach: ${url.origin} has gone away; waiting for it\n`);
  return untilStopped(signals, async (signal) => {
    for await (const followed of followServer(url, { signal, onThere, onLost })) show(followed);
  });
}
