import type { AgentTask } from './agent-program.js';
import { optional, readPayload, refusal, text } from './payload-reader.js';

/** A kind of numbers that people quote, such as INV-2041. */
export interface RecordNumber {
  /** The payload's field for it. */
  readonly field: string;
  /** How it looks in capitals. */
  readonly pattern: RegExp;
  readonly expected: string;
}

/**
 * The number that a task is about, in capitals: the payload's, else the first in the sentence; undefined where
 * neither has one.
 * @throws PayloadError where the payload's is of another kind.
 */
export function quotedNumber({ intent, payload }: AgentTask, kind: RecordNumber): string | undefined {
  const given = readPayload(payload, { [kind.field]: optional(text) })[kind.field];
  const [number] = (given ?? intent).normalize('NFKC').toUpperCase().match(kind.pattern) ?? [];
  if (given !== undefined && number?.length !== given.length) {
    throw refusal(`/${kind.field}`, kind.expected, given);
  }
  return number;
}

/** The same, where a task cannot do without. @throws PayloadError also where there is none. */
export function requiredNumber(task: AgentTask, kind: RecordNumber): string {
  const number = quotedNumber(task, kind);
  if (number === undefined) throw refusal(`/${kind.field}`, kind.expected, undefined);
  return number;
}
