import type { LabelReview } from '../wire/labels.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';
import { cutTo } from './text-width.js';

const INTENT_COLUMNS = 60;

type Group = LabelReview['contradictions'][number];
type ReviewedLabel = Group['labels'][number];

function payloadText({ payloadFields }: ReviewedLabel): string {
  return payloadFields === null ? '' : `  with ${Object.keys(payloadFields).join(', ')}`;
}

function labelLine(label: ReviewedLabel): string {
  const { labelId, at, source, intent, expected } = label;
  const right = expected.length === 0 ? 'nothing fits' : expected.join(', ');
  const asked = `${cutTo(printable(intent), INTENT_COLUMNS)}${payloadText(label)}`;
  return `  ${labelId}  ${momentOf(at)}  ${source}  ${asked}  -> ${right}`;
}

function groupLines(heading: string, { count, labels }: Group): string[] {
  const more = count > labels.length ? [`  and ${count - labels.length} older ones`] : [];
  return [heading, ...labels.map(labelLine), ...more];
}

const moreLine = (count: number, what: string) => (count === 0 ? [] : [`and ${count} more ${what}`]);

/** What a person should look at, a group after the other, with what stands in them. Ends with a newline. */
export function reviewText(review: LabelReview): string {
  const { labels, contradictions, nearDuplicates, gone, leftOut } = review;
  const lines = [
    ...contradictions.flatMap((group) =>
      groupLines(`${group.count} labels contradict each other: the same intent, another expectation`, group),
    ),
    ...moreLine(leftOut.contradictions, 'contradictions'),
    ...(nearDuplicates ?? []).flatMap((group) =>
      groupLines(`${group.count} labels say nearly the same`, group),
    ),
    ...moreLine(leftOut.nearDuplicates, 'groups that say nearly the same'),
    ...gone.flatMap(({ capability, ...group }) =>
      groupLines(`${group.count} labels expect ${capability}, which is gone`, group),
    ),
    ...moreLine(leftOut.gone, 'capabilities that are gone'),
    ...(nearDuplicates === null
      ? ['Near-duplicates were not found in time: there are too many labels.']
      : []),
  ];
  const nothing = lines.length === 0 ? ': nothing to look at' : '';
  return [...lines, `${labels} labels are kept${nothing}.`].map((line) => `${printable(line)}\n`).join('');
}
