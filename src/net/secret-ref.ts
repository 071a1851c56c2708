import { type BigIntStats, createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ReachError } from '../errors.js';
import { LruMap } from '../lru-map.js';

/** Larger files hold no secret; a key of 4,096 bits has 3 KB. */
const MAX_BYTES = 16_384;
/** Files whose text is kept until they change. */
const KEPT_FILES = 1_000;
/** Fits a header. So a reference to a file of another kind gives nothing of it away. */
const ONE_VISIBLE_LINE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

interface ReadFile {
  readonly stamp: string;
  readonly text: string;
}

const files = new LruMap<string, ReadFile>(KEPT_FILES);

function unusable(ref: string, fault: string): ReachError {
  return new ReachError('CONFIG_INVALID', `The secret ${ref} ${fault}.`);
}

/** Differs where a file was written again or another one stands in its place. */
function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join();
}

async function textOfFile(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true });
  const stamp = stampOf(stats);
  const kept = files.get(path);
  if (kept?.stamp === stamp) return kept.text;
  if (!stats.isFile()) throw new Error('not a file');
  let text = '';
  // Read no further than it may go, whatever the size of it is said to be.
  for await (const chunk of createReadStream(path, { encoding: 'latin1', end: MAX_BYTES })) text += chunk;
  files.set(path, { stamp, text });
  return text;
}

/**
 * The secret behind `env:NAME` or `file:PATH`, without the white space around it: one line of visible ASCII. A file is
 * read again when it has changed. What the secret is stands in no error.
 * @throws ReachError CONFIG_INVALID where there is none, or it is of another form.
 */
export async function readSecret(ref: string): Promise<string> {
  const [, kind, place = ''] = /^(env|file):(.+)$/s.exec(ref) ?? [];
  if (kind === undefined) throw new ReachError('CONFIG_INVALID', 'A secret is named env:NAME or file:PATH.');
  let text: string | undefined;
  try {
    text = kind === 'env' ? process.env[place] : await textOfFile(place);
  } catch {
    throw unusable(ref, 'cannot be read');
  }
  if (text === undefined) throw unusable(ref, 'is not set');
  const secret = text.trim();
  if (text.length > MAX_BYTES || !ONE_VISIBLE_LINE.test(secret)) {
    throw unusable(ref, `is not one line of visible ASCII of at most ${MAX_BYTES} characters`);
  }
  return secret;
}
