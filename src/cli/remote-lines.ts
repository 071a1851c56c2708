import { systemClock } from '../clock.js';
import { ReachError } from '../errors.js';
import { jsonOf, noServer, refusalOf, textOf } from './remote-answer.js';

/** Between two parts of an answer that goes on. */
const SILENCE_MS = 30_000;
/** No line of a server is longer; without an end, one would fill the memory. */
const MAX_CHARS = 32 * 1_048_576;

async function* linesIn(
  url: URL,
  body: AsyncIterable<Uint8Array>,
  heard: () => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of body) {
    heard();
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_CHARS) throw noServer(url);
    yield* lines;
  }
  if (rest !== '') throw noServer(url);
}

/**
 * The lines of an answer that may be long, as they come. One that is cut off ends in an error.
 * @throws ReachError SERVER_UNREACHABLE, and what the server answers
 */
export async function* remoteLines(url: URL): AsyncGenerator<string, void> {
  const silence = new AbortController();
  let cancel = () => {};
  const heard = () => {
    cancel();
    cancel = systemClock.after(SILENCE_MS, () => silence.abort());
  };
  heard();
  try {
    const response = await fetch(url, { signal: silence.signal });
    if (!response.ok) throw refusalOf(url, jsonOf(await textOf(response)));
    yield* linesIn(url, (response.body ?? []) as AsyncIterable<Uint8Array>, heard);
  } catch (cause) {
    if (cause instanceof ReachError) throw cause;
    throw new ReachError('SERVER_UNREACHABLE', `The server at ${url.origin} cannot be reached.`, { cause });
  } finally {
    cancel();
  }
}
