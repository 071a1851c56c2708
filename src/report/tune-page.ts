import type { TuneReport } from '../judging/tune-report.js';
import { capabilityTable, changeTable, languageTable } from './figure-tables.js';
import { compact, roughPercent } from './figures-text.js';
import { html, type Markup } from './markup.js';
import { PAGE_STYLE } from './page-style.js';
import { confusionTable, queryTable } from './query-tables.js';
import { reliabilityChart } from './reliability-chart.js';
import { DOT, key, LINE, section } from './section.js';
import { summary, words } from './summary.js';
import { thresholdChart } from './threshold-chart.js';
import { topKCharts } from './top-k-chart.js';
import { leftOutSection, weightsSection } from './weights-section.js';

const overall = ({ all }: TuneReport) =>
  section(
    'All in all',
    {
      shows:
        'Each figure under both weights. The dot on the right is the change, the bar around it where it lies in 90 of 100 cases: other intents would have given somewhat other figures.',
      good: 'Green bars, wholly on their better side of the dotted line of no change. A grey bar crosses it: that may be chance.',
      advice: 'Use weights without red bars. Where grey bars are wide, add labels and tune again.',
    },
    changeTable(all),
  );

const overThreshold = (report: TuneReport) =>
  section(
    'Where to put the threshold',
    {
      shows:
        'Going to the right, it acts only when it is surer: more of what it does is right (blue, precision), but it does less by itself (orange, coverage). The upright lines are the thresholds.',
      good: 'The blue line is above the dotted one, the precision asked for, where the threshold stands, and the orange line is still high there. Solid lines that run above the dashed ones are better at every threshold.',
      advice: html`Where a wrong action costs more than a question to a person, ask for more precision; where questions cost more, for less: tune again with another <code>--precision</code>.`,
    },
    key(
      [LINE.precision, 'right when it acts (precision)'],
      [LINE.coverage, 'acts by itself (coverage)'],
      [LINE.before, 'dashed: before'],
      [
        LINE.limit,
        `threshold: ${compact(report.weights.threshold.before)} before (dashed), ${compact(report.weights.threshold.after)} after`,
      ],
      [LINE.goal, `precision asked for: ${roughPercent(report.precision)}`],
    ),
    thresholdChart(report),
  );

const reliability = ({ charts }: TuneReport) =>
  section(
    'Can its confidence be believed?',
    {
      shows:
        'Answers that were about equally sure are put together as one dot: to the right how sure they were, upwards how many of them were right. The bar around a dot is what chance leaves open.',
      good: 'Dots on the dotted diagonal: when it says 80 %, it is right 80 of 100 times.',
      advice:
        'Dots far below the diagonal say that it is too sure: do not lower the threshold. Dots above say that it is too modest, which costs coverage, not mistakes. More labels, of what it is really asked, bring both nearer.',
    },
    key([DOT.before, 'before'], [DOT.after, 'after'], [LINE.goal, 'confidence is true']),
    reliabilityChart(charts),
  );

const topK = ({ charts, weights }: TuneReport) =>
  section(
    'How many candidates to look at',
    {
      shows:
        'Left: how often the right capability is among the first so many candidates. Right: how long a decision takes with so many, in milliseconds: half of them take no longer than the blue line, 99 of 100 no longer than the orange one. Its numbers about double from line to line.',
      good: 'The left line is flat to the right of the upright one: looking at more would find nothing more. The right lines are low there.',
      advice:
        'Where the left line stays well under 100 %, the right capability is not found at all: give it examples in the words of those intents.',
    },
    topKCharts(charts.top_k, weights.top_k),
  );

const confusion = ({ charts }: TuneReport) =>
  section(
    'What is taken for what',
    {
      shows:
        'Pairs of a right capability and another that came first in its place, with how often before (grey) and after (blue). The most frequent come first.',
      good: 'Few rows, small numbers, and no pair that grows.',
      advice: html`A pair that stays: write into each of the two what the other does not do, and give both examples that tell them apart; <code>agent-reach manifest check --against</code> shows their overlap. Where both are right, declare <code>equivalent_to</code>.`,
    },
    confusionTable(charts.confusion),
  );

const languages = ({ by_lang: byLang }: TuneReport) =>
  section(
    'By language',
    {
      shows:
        'The same figures for the intents of each language. The hollow dot is before, the full one after, from 0 on the left to 100 % on the right.',
      good: 'All languages are about equally well served, and none pays for the gain of another.',
      advice:
        'A language that lags behind needs examples in it, in the manifests, and labels in it. Few intents tell little: look at their number first.',
    },
    key([DOT.before, 'before'], [DOT.after, 'after']),
    languageTable(byLang),
  );

const capabilities = ({ by_capability: byCapability }: TuneReport) =>
  section(
    'By capability',
    {
      shows:
        'The same for what single capabilities are asked for, the most frequent first. A threshold that differs from the others is its own.',
      good: 'What does harm when it is called wrongly is right when it is acted on; what is asked for often is found often.',
      advice:
        'Where the right one is not first, give the capability examples. Where it is first and not acted on, it lacks confidence: add labels for it.',
    },
    capabilityTable(byCapability),
  );

const queries = ({ queries: { better, worse } }: TuneReport) =>
  section(
    'Intents that get better, and worse',
    {
      shows:
        'The intents whose answers change most, with what was found before and after, and how sure it was. ✓ is right, ✗ is wrong.',
      good: 'What gets worse are odd cases that you would forgive; what gets better is what people really ask.',
      advice:
        'Read the worse ones as a person who asked them. If one of them matters, declare it as an example of its capability: declared examples are always found.',
    },
    html`<h3>Better</h3>${queryTable(better)}<h3>Worse</h3>${queryTable(worse)}`,
  );

const PARTS = [
  summary,
  words,
  overall,
  overThreshold,
  reliability,
  topK,
  confusion,
  languages,
  capabilities,
  queries,
  weightsSection,
  leftOutSection,
];

/**
 * A tuning as one page for a person: it stands alone, asks for nothing and runs nothing, which its policy has the
 * browser see to.
 */
export function tunePage(report: TuneReport): string {
  const page: Markup = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What tuning would change: ${report.weights_version.after}</title><style>${PAGE_STYLE}</style></head>
<body>${PARTS.map((part) => part(report))}</body></html>
`;
  return page.source;
}
