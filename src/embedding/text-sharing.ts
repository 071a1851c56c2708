import { setTimeout as sleep } from 'node:timers/promises';
import type { TextClaims } from './embedder.js';

/** How long a text stays claimed by a process that died, in ms. */
const CLAIMED_MS = 5_000;
const RENEWED_EVERY_MS = 1_500;
/** How often is looked whether another process has stored its vectors, in ms. */
const ASKED_EVERY_MS = 100;
/** After so long without a new vector nobody is waited for any more, in ms. */
const LONGEST_WAIT_MS = 60_000;

type Texts = ReadonlyMap<string, string>;
type Vectors = ReadonlyMap<string, Float32Array>;

export interface TextSharingParts {
  readonly claims: TextClaims;
  readonly modelHash: string;
  /** What is stored of these; never rejects. */
  readonly stored: (keys: readonly string[]) => Promise<Vectors>;
  /** Computes and stores. */
  readonly compute: (texts: Texts, signal: AbortSignal) => Promise<Vectors>;
  readonly onStoreError: (error: unknown) => void;
}

/**
 * The vectors of texts that several processes may need at once: each text is computed by the process that has its claim,
 * and read by the others, who take over what it leaves undone. Where the store fails, each computes for itself.
 */
export async function sharedVectors(
  texts: Texts,
  signal: AbortSignal,
  parts: TextSharingParts,
): Promise<Vectors> {
  const found = new Map<string, Float32Array>();
  const left = new Map(texts);
  const take = (vectors: Vectors) => {
    for (const [key, vector] of vectors) if (left.delete(key)) found.set(key, vector);
    return vectors.size > 0;
  };
  let untilMs = performance.now() + LONGEST_WAIT_MS;
  while (left.size > 0) {
    signal.throwIfAborted();
    const ours = performance.now() < untilMs ? await claimed(left, parts) : undefined;
    if (ours === undefined) take(await parts.compute(left, signal));
    else if (take(await computedByUs(ours, signal, parts)) || take(await parts.stored([...left.keys()])))
      untilMs = performance.now() + LONGEST_WAIT_MS;
    else await sleep(ASKED_EVERY_MS, undefined, { signal });
  }
  return found;
}

/** Those that are ours now; undefined where the store cannot tell. */
async function claimed(texts: Texts, { claims, modelHash, onStoreError }: TextSharingParts) {
  try {
    const ours = await claims.claim(modelHash, [...texts.keys()], CLAIMED_MS);
    return new Map([...texts].filter(([key]) => ours.has(key)));
  } catch (error) {
    onStoreError(error);
    return undefined;
  }
}

async function computedByUs(ours: Texts, signal: AbortSignal, parts: TextSharingParts): Promise<Vectors> {
  if (ours.size === 0) return new Map();
  const { claims, modelHash, stored, compute, onStoreError } = parts;
  const keys = [...ours.keys()];
  const renewal = setInterval(() => {
    claims.claim(modelHash, keys, CLAIMED_MS).catch(onStoreError);
  }, RENEWED_EVERY_MS);
  try {
    // Who had a claim before us may have stored its vector and given it up in the meantime.
    const before = await stored(keys);
    const missing = new Map([...ours].filter(([key]) => !before.has(key)));
    return missing.size === 0 ? before : new Map([...before, ...(await compute(missing, signal))]);
  } finally {
    clearInterval(renewal);
    await claims.release(modelHash, keys).catch(onStoreError);
  }
}
