import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { weightIn } from './header-weight.js';

/** What is shorter fits a packet or so either way. */
const LEAST_BYTES = 1_024;
/** Each takes a quarter of a megabyte while it is made smaller. The answers beyond go out as they are. */
const MOST_AT_ONCE = 64;

/** Bytes are counted only where the number of characters leaves it open: each has one to three. */
const isLong = (text: string) =>
  text.length >= LEAST_BYTES || (text.length * 3 >= LEAST_BYTES && Buffer.byteLength(text) >= LEAST_BYTES);

/** Sends long answers as gzip to whoever accepts it, made beside the event loop. Streams go out as they come. */
export function addAnswerGzip(app: FastifyInstance): void {
  let running = 0;
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || !isLong(payload)) {
      done(null, payload);
      return;
    }
    reply.header('vary', 'accept-encoding');
    const { 'accept-encoding': accepted } = request.headers;
    if (weightIn(accepted, 'gzip', 'x-gzip', '*') === 0 || running === MOST_AT_ONCE) {
      done(null, payload);
      return;
    }
    running += 1;
    gzip(payload, (error, bytes) => {
      running -= 1;
      if (error !== null) {
        done(error);
        return;
      }
      reply.header('content-encoding', 'gzip');
      done(null, bytes);
    });
  });
}
