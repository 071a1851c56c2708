import { capabilityKey } from '../wire/capability-key.js';
import type { RecordedDecision } from '../wire/records.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';
import { cutTo } from './text-width.js';

const INTENT_COLUMNS = 40;

const COLUMNS: readonly Column[] = [
  { heading: 'time', align: 'left' },
  { heading: 'intent', align: 'left' },
  { heading: 'outcome', align: 'left' },
  { heading: 'target', align: 'left' },
  { heading: 'conf', align: 'right' },
  { heading: 'reported', align: 'left' },
];

function rowOf({ at, intent, outcome, targetAgent, capabilityId, confidence, reported }: RecordedDecision) {
  return [
    momentOf(at),
    cutTo(printable(intent ?? '-'), INTENT_COLUMNS),
    outcome,
    targetAgent === null ? '-' : capabilityKey(targetAgent, capabilityId ?? '?'),
    confidence.toFixed(2),
    reported?.status ?? '',
  ];
}

/** Decisions as a table, with how many there were before them. Ends with a newline. */
export function routesText(decisions: readonly RecordedDecision[], before: number): string {
  if (decisions.length === 0) return 'no decisions\n';
  const earlier = before === 0 ? '' : `${before} earlier ones are not shown; --json gives all\n`;
  return earlier + table(COLUMNS, decisions.map(rowOf));
}
