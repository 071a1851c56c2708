import type { Command } from 'commander';
import { ReachError } from '../errors.js';
import { parsedUrl } from '../parsed-url.js';

/** Lets a command name the server that it asks. */
export function addServerFlag(command: Command): Command {
  return command.option('--url <url>', 'the server to ask (REACH_URL)');
}

/** The URL of a server, under which its calls lie. @throws ReachError CONFIG_INVALID */
export function baseOf(url: string): URL {
  const base = url.endsWith('/') ? url : `${url}/`;
  const parsed = /^https?:\/\//i.test(base) ? parsedUrl(base) : undefined;
  if (parsed !== undefined) return parsed;
  throw new ReachError('CONFIG_INVALID', `${url} is not the http or https URL of a server.`);
}

/** The server that `--url` or REACH_URL names; where neither does, the command was used wrongly. */
export function serverOf(command: Command, env: NodeJS.ProcessEnv): URL {
  const url = command.optsWithGlobals<{ url?: string }>().url || env.REACH_URL;
  return url ? baseOf(url) : command.error('error: name a server: --url or REACH_URL');
}
