import { systemClock } from '../clock.js';
import { ReachError } from '../errors.js';
import { jsonOf, noServer, refusalOf, textOf } from './remote-answer.js';

interface Reading extends RequestInit {
  /** The content type of the answer, without parameters. */
  readonly type: string;
  /** How long nothing may come. */
  readonly silenceMs: number;
}

/**
 * An answer that goes on, as its bytes come.
 * @throws ReachError SERVER_UNREACHABLE, and what the server answers
 */
export async function* remoteBytes(
  url: URL,
  { type, silenceMs, signal, ...init }: Reading,
): AsyncGenerator<Uint8Array, void> {
  const silence = new AbortController();
  const listen = () => systemClock.after(silenceMs, () => silence.abort());
  let heard = listen();
  try {
    const ends = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const response = await fetch(url, { ...init, signal: ends });
    if (!response.ok) throw refusalOf(url, jsonOf(await textOf(response)));
    if (!response.headers.get('content-type')?.startsWith(type)) throw noServer(url);
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      heard();
      yield part;
      heard = listen();
    }
  } catch (cause) {
    if (cause instanceof ReachError) throw cause;
    throw new ReachError('SERVER_UNREACHABLE', `The server at ${url.origin} cannot be reached.`, { cause });
  } finally {
    heard();
  }
}
