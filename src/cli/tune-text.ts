import {
  CHANGES,
  type Change,
  type ChangeName,
  type Compared,
  figureOf,
  type TuneReport,
} from '../judging/tune-report.js';
import { signed } from '../judging/tune-verdict.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';
import { tunedQueriesText } from './tuned-queries-text.js';

/** So many languages and capabilities are shown, those with the most queries. */
const SHOWN = 10;

const threeDigits = (value: number | null) => (value === null ? '-' : value.toFixed(3));
const step = (before: number | null, after: number | null) =>
  before === null && after === null ? '-' : `${threeDigits(before)} -> ${threeDigits(after)}`;
const own = (threshold: number | null) => (threshold === null ? 'none' : threeDigits(threshold));
const left = (heading: string): Column => ({ heading, align: 'left' });
const right = (heading: string): Column => ({ heading, align: 'right' });

function labelsLine({ labels: { total, learned_from: learned, judged_on: judged } }: TuneReport) {
  return `${total} labels: learned from ${learned}, judged on ${judged} others`;
}

function headline(report: TuneReport): string {
  const { catalogue, model, weights_version: version } = report;
  const about = `${version.before} -> ${version.after}: ${catalogue.capabilities} capabilities, model ${model}`;
  return `${printable(about)}\n${labelsLine(report)}\n`;
}

function changeCells(change: Change | null): string[] {
  return change === null
    ? ['-', '']
    : [signed(change.change), `${signed(change.low)} .. ${signed(change.high)}`];
}

function changeTable({ before, after, changes }: Compared): string {
  const columns = [left('figure'), right('before'), right('after'), right('change'), left('90 % of chance')];
  const rows = CHANGES.map((name) => [
    name,
    threeDigits(figureOf(before, name)),
    threeDigits(figureOf(after, name)),
    ...changeCells(changes[name]),
  ]);
  return table(columns, rows);
}

function languageTable(byLang: TuneReport['by_lang']): string {
  const columns = [left('language'), right('queries'), ...CHANGES.map(right)];
  const cell = ({ before, after }: Compared, name: ChangeName) =>
    step(figureOf(before, name), figureOf(after, name));
  const rows = Object.entries(byLang)
    .slice(0, SHOWN)
    .map(([lang, compared]) => [
      lang,
      String(compared.after.queries),
      ...CHANGES.map((name) => cell(compared, name)),
    ]);
  return table(columns, rows);
}

function capabilityTable(byCapability: TuneReport['by_capability']): string {
  const columns = [left('capability'), ...['queries', 'top1', 'precision', 'found', 'threshold'].map(right)];
  const rows = Object.entries(byCapability)
    .slice(0, SHOWN)
    .map(([name, { queries, before, after }]) => [
      name,
      String(queries),
      step(before.top1, after.top1),
      step(before.precision, after.precision),
      step(before.found, after.found),
      step(before.threshold, after.threshold),
    ]);
  return table(columns, rows);
}

function settingsText({ weights: { threshold, top_k: topK, thresholds } }: TuneReport): string {
  const capabilities = Object.entries(thresholds).map(
    ([name, { before, after }]) => `threshold of ${name} ${own(before)} -> ${own(after)}`,
  );
  const lines = [
    `threshold ${step(threshold.before, threshold.after)}, top_k ${topK.before} -> ${topK.after}`,
    ...capabilities,
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function verdictText({ verdict_reason: reason, notes }: TuneReport): string {
  const lines = [...notes, reason];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** What a tuning would change, for a person at a terminal. Ends with a newline. */
export function tuneText(report: TuneReport): string {
  const parts = [
    headline(report),
    changeTable(report.all),
    languageTable(report.by_lang),
    capabilityTable(report.by_capability),
    settingsText(report),
    tunedQueriesText('Better', report.queries.better),
    tunedQueriesText('Worse', report.queries.worse),
    verdictText(report),
  ];
  return parts.filter((part) => part !== '').join('\n');
}
