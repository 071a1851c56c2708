import { labelOf, type SaidLabel } from '../../src/labels/label.js';
import type { StoredLabel } from '../../src/labels/stored-label.js';

/** A label of its own for each `index`, the later the higher it is. */
export function label(index: number, said: Partial<SaidLabel> = {}): StoredLabel {
  return labelOf({
    atMs: 1_767_322_000_000 + index,
    source: 'added',
    intent: `intent ${index}`,
    lang: 'und',
    payloadFields: null,
    expected: ['report-agent/weekly-summary'],
    routeId: null,
    ...said,
  });
}
