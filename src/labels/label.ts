import { looksEnglish } from '../embedding/embedding-space.js';
import { NO_LANGUAGE } from '../evaluation/labelled-query.js';
import { canonicalDigest } from '../manifest/canonical-json.js';
import { foldText } from '../retrieval/fold.js';
import { hasChinese } from '../wire/chinese.js';
import type { Label } from '../wire/labels.js';
import type { StoredLabel } from './stored-label.js';

/** What was said, without a name. */
export type SaidLabel = Omit<StoredLabel, 'labelId'>;

/** The language that an intent looks like, as routing takes it, where nobody says which it is. */
export function langOf(intent: string): string {
  if (hasChinese(intent)) return 'zh';
  return looksEnglish(intent) ? 'en' : NO_LANGUAGE;
}

/** Names a label by what it says: whatever is said again, from the same source, is the same label. */
export function labelOf(said: SaidLabel): StoredLabel {
  const intent = said.intent.trim();
  const expected = [...new Set(said.expected)].sort();
  const digest = canonicalDigest([said.source, intent, said.payloadFields, expected]);
  return { ...said, labelId: `lb_${digest.slice(0, 32)}`, intent, expected };
}

/** Each label once, however often it is said. */
export function distinct(labels: readonly StoredLabel[]): StoredLabel[] {
  return [...new Map(labels.map((label) => [label.labelId, label])).values()];
}

/** The same for labels of which at most one is right where they expect something else: the intent and fields that routing sees. */
export function askedKey({ intent, payloadFields }: Pick<StoredLabel, 'intent' | 'payloadFields'>): string {
  return canonicalDigest([foldText(intent), payloadFields ?? {}]);
}

/** As callers see it. */
export function labelAt({ atMs, ...label }: StoredLabel): Label {
  return { ...label, at: new Date(atMs).toISOString() };
}
