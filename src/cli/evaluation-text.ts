import type { Evaluation } from '../evaluation/evaluation-report.js';
import type { Figures } from '../evaluation/figures.js';
import { type Interval, wilsonInterval } from '../evaluation/interval.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

/** So many languages have a column of their own, those with the most queries. */
const SHOWN_LANGS = 6;

interface Row {
  readonly name: string;
  readonly value: (figures: Figures) => number | null;
  /** Of how many trials the figure is a share; undefined for counts. */
  readonly trials?: (figures: Figures) => number;
}

const sure = ({ queries, at_threshold: { coverage } }: Figures) => Math.round((coverage ?? 0) * queries);

const COUNTS: readonly Row[] = [
  { name: 'queries', value: (figures) => figures.queries },
  { name: 'in scope', value: (figures) => figures.in_scope },
  { name: 'out of scope', value: (figures) => figures.out_of_scope },
];
const SHARES: readonly Row[] = [
  { name: 'top1', value: (figures) => figures.top1, trials: (figures) => figures.in_scope },
  { name: 'top5', value: (figures) => figures.top5, trials: (figures) => figures.in_scope },
  {
    name: 'oos_auroc',
    value: (figures) => figures.oos_auroc,
    // Its variance is at most that of a share of the rarer kind (van Dantzig 1951).
    trials: (figures) => Math.min(figures.in_scope, figures.out_of_scope),
  },
];
const AT_THRESHOLD: readonly Row[] = [
  { name: 'precision', value: (figures) => figures.at_threshold.precision, trials: sure },
  {
    name: 'coverage',
    value: (figures) => figures.at_threshold.coverage,
    trials: (figures) => figures.queries,
  },
  {
    name: 'oos_rejected',
    value: (figures) => figures.at_threshold.oos_rejected,
    trials: (figures) => figures.out_of_scope,
  },
];

const threeDigits = (value: number | null) => (value === null ? '-' : value.toFixed(3));
const intervalText = (interval: Interval | null | undefined) =>
  interval ? `${threeDigits(interval.low)} .. ${threeDigits(interval.high)}` : '';

function rowText({ name, value, trials }: Row, all: Figures, langs: readonly Figures[]): string[] {
  const whole = value(all);
  const text = trials === undefined ? String : threeDigits;
  const interval = trials && whole !== null ? wilsonInterval(whole, trials(all)) : undefined;
  return [name, text(whole), intervalText(interval), ...langs.map((figures) => text(value(figures)))];
}

function headline({ report }: Evaluation): string {
  const { set, capabilities, model, weights_version: version, latency_ms: ms } = report;
  const about = printable(`${set}: ${capabilities} capabilities, model ${model}, weights ${version}`);
  return `${about}\nroute: p50 ${ms.p50.toFixed(1)} ms, p99 ${ms.p99.toFixed(1)} ms (one after the other, intents not asked before)\n`;
}

/** An evaluation as a table, languages side by side. Ends with a newline. */
export function evaluationText(evaluation: Evaluation): string {
  const { report, noise, noiseByLang } = evaluation;
  const langs = Object.entries(report.by_lang).slice(0, SHOWN_LANGS);
  const figures = langs.map(([, some]) => some);
  const row = (of: Row) => rowText(of, report, figures);
  const columns: readonly Column[] = [
    { heading: 'figure', align: 'left' },
    { heading: 'all', align: 'right' },
    { heading: '95 % of chance', align: 'left' },
    ...langs.map(([lang]): Column => ({ heading: printable(lang), align: 'right' })),
  ];
  const rows = [
    ...COUNTS.map(row),
    ...SHARES.map(row),
    ['ece', threeDigits(report.ece), '', ...figures.map(({ ece }) => threeDigits(ece))],
    [
      'ece if perfect',
      threeDigits(noise?.mean ?? null),
      intervalText(noise),
      ...langs.map(([lang]) => threeDigits(noiseByLang.get(lang)?.mean ?? null)),
    ],
    [`at confidence >= ${report.at_threshold.threshold}`],
    ...AT_THRESHOLD.map(row).map(([name, ...rest]) => [`  ${name}`, ...rest]),
  ];
  return `${headline(evaluation)}\n${table(columns, rows)}`;
}
