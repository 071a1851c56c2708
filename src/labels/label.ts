import { hash } from 'node:crypto';
import type { Label, LabelSource } from '../wire/labels.js';

/** Where labels come from that no person wrote: they make room for others. */
export const UNWRITTEN_SOURCES: readonly LabelSource[] = ['clarify', 'outcome'];

/** A label as it is kept. */
export interface StoredLabel extends Omit<Label, 'at'> {
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
}

/** What was said, without a name. */
export type SaidLabel = Omit<StoredLabel, 'labelId'>;

/** Names a label by what it says: whatever is said again, from the same source, is the same label. */
export function labelOf(said: SaidLabel): StoredLabel {
  const intent = said.intent.trim();
  const expected = [...new Set(said.expected)].sort();
  const fields =
    said.payloadFields && Object.entries(said.payloadFields).sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = hash('sha256', JSON.stringify([said.source, intent, fields, expected]), 'hex');
  return { ...said, labelId: `lb_${digest.slice(0, 32)}`, intent, expected };
}

/** As callers see it. */
export function labelAt({ atMs, ...label }: StoredLabel): Label {
  return { ...label, at: new Date(atMs).toISOString() };
}
