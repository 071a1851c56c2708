import { capabilityKey } from '../wire/capability-key.js';
import type { ShadowComparison } from '../wire/shadow.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';
import { cutTo } from './text-width.js';

type Pair = ShadowComparison['pairs'][number];
type Change = Pair['changes'][number];

const INTENT_COLUMNS = 40;
/** --json gives more. */
const SHOWN = 20;

const COLUMNS: readonly Column[] = [
  { heading: 'times', align: 'right' },
  { heading: 'in force', align: 'left' },
  { heading: 'shadow', align: 'left' },
  { heading: 'labels', align: 'right' },
  { heading: 'right', align: 'right' },
  { heading: 'right in shadow', align: 'right' },
  { heading: 'for example', align: 'left' },
];

function destination({ outcome, targetAgent, capabilityId }: Change['shadow']): string {
  if (targetAgent === null) return outcome;
  const key = capabilityKey(targetAgent, capabilityId ?? '?');
  return outcome === 'routed' ? key : `${outcome} ${key}`;
}

function rowOf({ times, inForce, shadow, right, intents }: Change): string[] {
  const { labelled } = right;
  const counts = labelled === 0 ? ['', '', ''] : [labelled, right.inForce, right.shadow].map(String);
  const example = cutTo(printable(intents[0] ?? '-'), INTENT_COLUMNS);
  return [String(times), destination(inForce), destination(shadow), ...counts, example];
}

function rightLine({ labelled, inForce, shadow }: Pair['right']): string {
  if (labelled === 0) return 'nobody has said what is right for any of them\n';
  return `${labelled} of them have labels: ${inForce} were right, ${shadow} would have been right in the shadow\n`;
}

function pairText({ weightsVersion, shadowWeightsVersion, ...pair }: Pair): string {
  const { compared, differing, read, right, changes } = pair;
  const share = ((100 * differing) / compared).toFixed(1);
  const versions = printable(`${weightsVersion} in force, ${shadowWeightsVersion} in the shadow`);
  const headline = `${versions}: ${differing} of ${compared} intents differ (${share} %)\n`;
  if (differing === 0) return headline;
  const newest = read < differing ? `the newest ${read} of them are told of here\n` : '';
  const rows = changes.slice(0, SHOWN).map(rowOf);
  const more = changes.length > SHOWN ? '--json gives more kinds of differences\n' : '';
  return headline + newest + rightLine(right) + table(COLUMNS, rows) + more;
}

/** Where the weights in force and those in their shadow differ. Ends with a newline. */
export function shadowText({ since, pairs }: ShadowComparison): string {
  if (pairs.length === 0) return `no intent was answered in the shadow since ${momentOf(since)}\n`;
  return `since ${momentOf(since)}\n${pairs.map(pairText).join('\n')}`;
}
