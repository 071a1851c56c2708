import { capabilityKey } from '../wire/capability-key.js';
import type { Candidate, Decision } from '../wire/route.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

type SignalWeights = NonNullable<Decision['signalWeights']>;

/** How a signal tells two candidates apart. */
interface SignalLead {
  readonly name: string;
  readonly weight: number;
  readonly ahead: number;
  readonly behind: number;
  /** What it adds to the relevance of the one over that of the other. */
  readonly lead: number;
}

/** Cosines and shares are no higher; what counts further may be as high as the best has it. */
const HIGHEST = 1;
/** What may be asked of a signal: an opposite meaning is asked of nobody. */
const LOWEST = 0;
/** Ways that would have been enough: more than these are not read. */
const SHOWN_WAYS = 3;

const name = ({ agentName, capabilityId }: Candidate) => printable(capabilityKey(agentName, capabilityId));
const threeDigits = (value: number) => value.toFixed(3);
const signed = (value: number) => `${value < 0 ? '-' : '+'}${threeDigits(Math.abs(value))}`;

function leadsOf(ahead: Candidate, behind: Candidate, weights: SignalWeights): readonly SignalLead[] {
  const value = ({ signals = {} }: Candidate, signal: string) => signals[signal] ?? 0;
  return Object.entries(weights)
    .map(([signal, weight]) => {
      const [a, b] = [value(ahead, signal), value(behind, signal)];
      return { name: signal, weight, ahead: a, behind: b, lead: weight * (a - b) };
    })
    .sort((a, b) => b.lead - a.lead);
}

const COLUMNS: readonly Column[] = [
  { heading: 'signal', align: 'left' },
  { heading: 'weight', align: 'right' },
  { heading: 'best', align: 'right' },
  { heading: 'share', align: 'right' },
  { heading: 'other', align: 'right' },
  { heading: 'share', align: 'right' },
  { heading: 'lead', align: 'right' },
];

function leadTable(ahead: Candidate, behind: Candidate, leads: readonly SignalLead[]): string {
  const share = (part: number, whole: number) =>
    whole === 0 ? '-' : `${Math.round((100 * part) / whole)} %`;
  const rows = leads.map((it) => [
    it.name,
    threeDigits(it.weight),
    threeDigits(it.ahead),
    share(it.weight * it.ahead, ahead.relevance),
    threeDigits(it.behind),
    share(it.weight * it.behind, behind.relevance),
    signed(it.lead),
  ]);
  const [best, other] = [ahead.relevance, behind.relevance];
  return table(COLUMNS, [
    ...rows,
    ['relevance', '', threeDigits(best), '', threeDigits(other), '', signed(best - other)],
  ]);
}

/** Signals that were not measured here, or that found nothing. */
function silentLine(silent: readonly SignalLead[]): string {
  return silent.length === 0 ? '' : `0 in both: ${silent.map((it) => it.name).join(', ')}\n`;
}

/** What would have had to be different for the one behind to be level with the one ahead. */
function difference(ahead: Candidate, behind: Candidate, leads: readonly SignalLead[]): string {
  const gap = ahead.relevance - behind.relevance;
  if (gap <= 0) return behind.excludedBy ?? 'The other is as relevant as the best.';
  const enough = leads
    .filter(({ weight }) => weight !== 0)
    .map((it) => ({ ...it, needed: it.behind + gap / it.weight }))
    .filter((it) => it.needed >= LOWEST && it.needed <= Math.max(HIGHEST, it.ahead))
    .sort((a, b) => Math.abs(a.needed - a.behind) - Math.abs(b.needed - b.behind))
    .slice(0, SHOWN_WAYS);
  if (enough.length > 0) {
    const ways = enough.map(
      (it) => `${it.name} ${threeDigits(it.needed)} in place of ${threeDigits(it.behind)}`,
    );
    return `The other would be level with ${ways.join(', or ')}.`;
  }
  let closed = 0;
  const needed = leads.filter(({ lead }) => {
    const isNeeded = closed < gap && lead > 0;
    if (isNeeded) closed += lead;
    return isNeeded;
  });
  return `No signal alone would make the other level; ${needed.map((it) => it.name).join(', ')} as high as those of the best would.`;
}

/**
 * Why one candidate is more relevant than another: each signal with its weight, its share of the relevance and
 * the lead it gives, those that are 0 in both by their names, then what would have had to be different. Ends with a
 * newline.
 */
export function comparisonText(ahead: Candidate, behind: Candidate, weights: SignalWeights): string {
  const all = leadsOf(ahead, behind, weights);
  const isSilent = (it: SignalLead) => it.ahead === 0 && it.behind === 0;
  const leads = all.filter((it) => !isSilent(it));
  return [
    `best  ${name(ahead)}\nother ${name(behind)}\n`,
    leadTable(ahead, behind, leads),
    silentLine(all.filter(isSilent)),
    `${printable(difference(ahead, behind, leads))}\n`,
  ].join('');
}
