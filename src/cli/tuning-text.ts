import type { Tuning, TuningVersionSummary } from '../wire/tuning.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

const COLUMNS: readonly Column[] = [
  { heading: 'number', align: 'right' },
  { heading: 'weights', align: 'left' },
  { heading: 'state', align: 'left' },
  { heading: 'applied', align: 'left' },
  { heading: 'tuned on', align: 'left' },
  { heading: 'note', align: 'left' },
];

function stateText({ number, rolledBackAt }: TuningVersionSummary, current: number): string {
  if (number === current) return 'in force';
  return rolledBackAt === null ? '-' : `rolled back ${momentOf(rolledBackAt)}`;
}

/** Which weights are in force, were, and answer in the shadow. Ends with a newline. */
export function tuningText({ current, history, shadow }: Tuning): string {
  const versions = current.number === 0 ? [current, ...history] : history;
  const rows = versions.map((version) => [
    String(version.number),
    version.weightsVersion,
    stateText(version, current.number),
    version.appliedAt === null ? 'by the configuration' : momentOf(version.appliedAt),
    version.tuned === null ? '-' : `${version.tuned.labels} labels`,
    version.note ?? '',
  ]);
  const beside = shadow && `in the shadow: ${shadow.weightsVersion}, since ${momentOf(shadow.since)}`;
  return `${table(COLUMNS, rows)}${beside ? `${printable(beside)}\n` : ''}`;
}

/** What is in force after a change, in one line. Ends with a newline. */
export function inForceText({ current: { number, weightsVersion } }: Tuning): string {
  return `${printable(`number ${number} is in force: ${weightsVersion}`)}\n`;
}
