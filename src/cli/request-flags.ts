import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isObject } from '../wire/json-object.js';
import type { RouteRequest } from '../wire/route.js';
import { numberOf } from './number-of.js';

/** What may be said of a request to route or to dispatch. */
export interface RequestFlags {
  readonly payload?: string;
  readonly agent?: string;
  readonly capability?: string;
  readonly threshold?: number;
  readonly filterAgent?: string[];
  readonly filterTag?: string[];
  readonly filterLabel?: Record<string, string>;
  readonly filterTeam?: string;
  readonly routeId?: string;
  readonly choice?: string;
  readonly session?: string;
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

function filterOf(flags: RequestFlags): Pick<RouteRequest, 'filter'> {
  const filter = {
    ...(flags.filterAgent && { agents: flags.filterAgent }),
    ...(flags.filterTag && { tags: flags.filterTag }),
    ...(flags.filterLabel && { labels: flags.filterLabel }),
    ...(flags.filterTeam && { team: flags.filterTeam }),
  };
  return Object.keys(filter).length === 0 ? {} : { filter };
}

/** The request that a command line asks for. What it leaves out or gets wrong is told by the command. */
export async function requestOf(
  intent: string | undefined,
  flags: RequestFlags,
  command: Command,
): Promise<RouteRequest> {
  const { payload, agent, capability, threshold, routeId, choice, session } = flags;
  if ((intent ?? agent ?? capability ?? routeId) === undefined) {
    return command.error('error: say what you need: an INTENT, --agent, --capability or --route-id');
  }
  return {
    ...(intent !== undefined && { intent }),
    ...(payload !== undefined && { payload: await payloadOf(payload, command) }),
    ...(agent !== undefined && { agentName: agent }),
    ...(capability !== undefined && { capabilityId: capability }),
    ...(threshold !== undefined && { threshold }),
    ...(routeId !== undefined && { routeId }),
    ...(choice !== undefined && { choice }),
    ...(session !== undefined && { sessionId: session }),
    ...filterOf(flags),
  };
}

/** Lets a command say what is needed. */
export function addRequestFlags(command: Command): Command {
  return command
    .argument('[intent]', 'what is needed, in plain language')
    .option('--payload <json or @file>', 'the data for the work')
    .option('--agent <name>', 'ask this agent instead of searching for one')
    .option('--capability <id>', 'take this capability instead of searching')
    .option('--threshold <0..1>', 'the least confidence to act on', numberOf)
    .option('--filter-agent <name>', 'only this agent; may be repeated', collect)
    .option('--filter-tag <tag>', 'only with this tag; may be repeated', collect)
    .option('--filter-label <name=value>', 'only with this label; may be repeated', collectLabel)
    .option('--filter-team <team>', 'only agents of this team')
    .option('--route-id <id>', 'the clarify that this answers')
    .option('--choice <agent/capability>', 'the choice among those of the clarify')
    .option('--session <id>', 'the conversation that it belongs to');
}
