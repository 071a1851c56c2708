import { noServer } from './remote-answer.js';
import { remoteBytes } from './remote-bytes.js';

/** Between two parts of an answer that goes on. */
const SILENCE_MS = 30_000;
/** No line of a server is longer; without an end, one would fill the memory. */
const MAX_CHARS = 32 * 1_048_576;

/**
 * The lines of an answer that may be long, as they come. One that is cut off ends in an error.
 * @throws ReachError SERVER_UNREACHABLE, and what the server answers
 */
export async function* remoteLines(url: URL): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of remoteBytes(url, { type: 'application/jsonl', silenceMs: SILENCE_MS })) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_CHARS) throw noServer(url);
    yield* lines;
  }
  if (rest !== '') throw noServer(url);
}
