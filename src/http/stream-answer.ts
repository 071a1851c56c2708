import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { systemClock } from '../clock.js';
import { asReachError } from '../errors.js';
import { goneSignal } from './caller-gone.js';
import type { HttpRoute, HttpStream } from './http-route.js';
import { toldProblem } from './problems.js';
import type { WorkGate } from './work-gate.js';

/** For a stream's reader to take what is left when the service closes: one that takes nothing cannot keep it open. */
const LAST_PIECES_MS = 1_000;

/** Whether a stream tells of what goes on without its reader: the service need not wait for it when it closes. */
const onlyTells = ({ streams }: HttpRoute) => streams !== undefined;

/**
 * Aborted when nobody waits for the answer any more: when the caller has gone and, where it only tells, when the
 * service closes. Who asks for the head of that alone waits for nothing.
 */
export function signalFor(route: HttpRoute, { raw }: FastifyRequest, gate: WorkGate): AbortSignal {
  if (!onlyTells(route)) return goneSignal(raw.socket);
  if (raw.method === 'HEAD') return AbortSignal.abort();
  return AbortSignal.any([goneSignal(raw.socket), gate.shutting]);
}

/** Ends a stream with the service. One of work under way lasts as long as that, for a reader that takes it. */
function endAtShutdown(route: HttpRoute, { raw: response }: FastifyReply, gate: WorkGate): void {
  const end = onlyTells(route)
    ? () => {
        const cancel = systemClock.after(LAST_PIECES_MS, () => response.destroy());
        response.once('close', cancel);
      }
    : () => {
        response.setTimeout(LAST_PIECES_MS, () => {
          if (response.socket !== null && response.socket.writableLength > 0) response.destroy();
        });
      };
  if (gate.isShut) end();
  gate.shutting.addEventListener('abort', end, { once: true });
  response.once('close', () => gate.shutting.removeEventListener('abort', end));
}

async function* withProblem(
  { pieces, pieceOf }: HttpStream,
  request: FastifyRequest,
): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (thrown) {
    if (pieceOf === undefined) throw thrown;
    yield pieceOf(toldProblem(asReachError(thrown), request));
  }
}

/** Sends what a route tells piece by piece, as fast as its reader takes it. */
export function sendStream(
  answer: HttpStream,
  route: HttpRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  gate: WorkGate,
): FastifyReply {
  endAtShutdown(route, reply, gate);
  return reply
    .type(answer.contentType)
    .header('cache-control', 'no-store')
    .send(Readable.from(withProblem(answer, request)));
}
