import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { ReachError } from '../errors.js';

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Aborted when the connection closes, or its caller has closed its half: nobody can tell whether that one still reads.
 * Whoever has its answer by then no longer listens. One for all requests of a connection.
 */
export function goneSignal(connection: Socket): AbortSignal {
  const known = signals.get(connection);
  if (known !== undefined) return known;
  const gone = new AbortController();
  // One for each request that is pipelined.
  setMaxListeners(0, gone.signal);
  connection.once('close', () => gone.abort(new ReachError('CLOSED', 'The caller has gone away.')));
  signals.set(connection, gone.signal);
  return gone.signal;
}
