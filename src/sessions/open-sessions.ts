import type { Lifecycle } from '../lifecycle.js';
import { keepPruned } from '../rounds.js';
import { Sessions, type SessionsParts } from './sessions.js';

/** Sessions of which those that are over are forgotten every minute. `report`: one sentence for the log. */
export function openSessions({
  lifecycle,
  report,
  ...parts
}: SessionsParts & {
  readonly lifecycle: Lifecycle;
  readonly report: (message: string) => void;
}): Sessions {
  const sessions = new Sessions(parts);
  lifecycle.add('sessions', keepPruned('sessions', [() => sessions.prune()], parts.clock, report));
  return sessions;
}
