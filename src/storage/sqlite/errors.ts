import { readFileSync } from 'node:fs';
import { ReachError } from '../../errors.js';

/** SQLite's primary result codes (https://sqlite.org/rescode.html) that a person can do something about. */
const BUSY = 5;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/** Who has the file open, for the sentence that another process gets. The lock itself is SQLite's. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string;
}

export function ownerFile(path: string): string {
  return `${path}.owner`;
}

function ownerOf(path: string): string {
  try {
    const owner = JSON.parse(readFileSync(ownerFile(path), 'utf8')) as Owner;
    return `process ${owner.pid}, which started at ${owner.startedAt}`;
  } catch {
    return 'another process';
  }
}

function resultCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return;
  // The low byte is the primary code; the rest tells apart causes that read the same to a person.
  return thrown.errcode & 0xff;
}

function sentence(path: string, code: number, message: string): string {
  switch (code) {
    case BUSY:
      return `${path} is in use by ${ownerOf(path)}: stop that, or choose another folder with --data or REACH_DATA.`;
    case FULL:
      return `The disk that holds ${path} is full; nothing was changed.`;
    case CORRUPT:
    case NOT_A_DATABASE:
      return unreadable(path, message);
    default:
      return `${path} cannot be used: ${message}.`;
  }
}

/** The sentence about a file that is damaged or not ours: such a file is never deleted, only refused. */
export function unreadable(path: string, why: string): string {
  return `${path} is damaged or not a store of Agent-Reach (${why}); move it away or name another data folder.`;
}

/** The value of a JSON text from the file; `what` is named where it is none. @throws ReachError STORE_UNAVAILABLE */
export function jsonFrom<Value>(path: string, text: string, what: string): Value {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ReachError('STORE_UNAVAILABLE', unreadable(path, `${what} is no JSON`), { cause });
  }
}

/** What SQLite threw as STORE_UNAVAILABLE with one sentence; what it did not throw is given back as it is. */
export function asStoreError(path: string, thrown: unknown): unknown {
  const code = resultCode(thrown);
  if (code === undefined) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ReachError('STORE_UNAVAILABLE', sentence(path, code, message), { cause: thrown });
}
