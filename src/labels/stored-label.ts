import type { Label, LabelSource } from '../wire/labels.js';

/** A label as it is kept. */
export interface StoredLabel extends Omit<Label, 'at'> {
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
}

/** Where labels come from that no person wrote. */
const UNWRITTEN: ReadonlySet<LabelSource> = new Set(['clarify', 'outcome']);

/** Whether a person stands behind it. What nobody wrote makes room for others. */
export function isWritten({ source }: Pick<StoredLabel, 'source'>): boolean {
  return !UNWRITTEN.has(source);
}
