import type { Language } from '../asker-language.js';
import type { CalendarDate } from '../calendar-date.js';
import type { Anomaly } from './kpi-anomalies.js';
import type { MetricFigures } from './kpi-figures.js';

export interface Period {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
}

export interface RankedRow {
  readonly label: string;
  readonly value: number;
}

export interface Summary {
  readonly period: Period | undefined;
  readonly rowCount: number;
  readonly metrics: readonly MetricFigures[];
  readonly rankedBy: string;
  readonly topRows: readonly RankedRow[];
}

export interface Comparison {
  readonly metric: string;
  readonly currentTotal: number;
  readonly previousTotal: number;
  readonly growth: number | null;
  readonly items: readonly { readonly key: string; readonly change: number }[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The paragraph that goes into the report. */
export function summarySentence(summary: Summary, language: Language): string {
  const { period, rowCount, metrics, rankedBy, topRows } = summary;
  const ranking = topRows.map(({ label, value }) => `${label} ${number(value)}`);
  if (language === 'zh') {
    const when = period === undefined ? '本期' : `${period.from} 至 ${period.to}`;
    const figures = metrics.map(
      ({ metric, total, average, growth }) =>
        `${metric}合计 ${number(total)},平均 ${number(average)}${growth === null ? '' : `,环比${growthInChinese(growth)}`}`,
    );
    return `${when}共 ${rowCount} 条数据。${figures.join(';')}。${rankedBy}排名前 ${topRows.length}:${ranking.join('、')}。`;
  }
  const when = period === undefined ? 'This period' : `${period.from} to ${period.to}`;
  const figures = metrics.map(
    ({ metric, total, average, growth }) =>
      `${metric}: total ${number(total)}, average ${number(average)}${growth === null ? '' : `, ${growthInEnglish(growth)}`}`,
  );
  return `${when}: ${rowCount} rows. ${figures.join('; ')}. Top ${topRows.length} by ${rankedBy}: ${ranking.join(', ')}.`;
}

export function comparisonSentence(comparison: Comparison, language: Language): string {
  const { metric, currentTotal, previousTotal, growth, items, added, removed } = comparison;
  const best = items.findLast(({ change }) => change > 0);
  const worst = items.find(({ change }) => change < 0);
  const parts =
    language === 'zh'
      ? [
          `${metric}从 ${number(previousTotal)} 到 ${number(currentTotal)}${growth === null ? '' : `,${growthInChinese(growth)}`}`,
          best && `涨幅最大:${best.key}(+${number(best.change)})`,
          worst && `跌幅最大:${worst.key}(${number(worst.change)})`,
          added.length > 0 && `新增:${added.join('、')}`,
          removed.length > 0 && `消失:${removed.join('、')}`,
        ]
      : [
          `${metric} went from ${number(previousTotal)} to ${number(currentTotal)}${growth === null ? '' : ` (${growthInEnglish(growth)})`}`,
          best && `largest rise: ${best.key} (+${number(best.change)})`,
          worst && `largest fall: ${worst.key} (${number(worst.change)})`,
          added.length > 0 && `new: ${added.join(', ')}`,
          removed.length > 0 && `gone: ${removed.join(', ')}`,
        ];
  return parts.filter(Boolean).join(language === 'zh' ? ';' : '; ') + (language === 'zh' ? '。' : '.');
}

export function anomalySentence(
  metric: string,
  middle: number,
  anomalies: readonly (Anomaly & { readonly label: string })[],
  language: Language,
): string {
  const listed = anomalies.map(({ label, value }) => `${label} (${number(value)})`);
  if (language === 'zh') {
    return anomalies.length === 0
      ? `${metric}没有发现异常,中位数 ${number(middle)}。`
      : `${metric}有 ${anomalies.length} 个异常值:${listed.join('、')};中位数 ${number(middle)}。`;
  }
  return anomalies.length === 0
    ? `No anomaly in ${metric}; the median is ${number(middle)}.`
    : `${anomalies.length} anomalies in ${metric}: ${listed.join(', ')}; the median is ${number(middle)}.`;
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

function percent(growth: number): string {
  return `${number(Math.abs(growth) * 100)}%`;
}

function growthInChinese(growth: number): string {
  if (growth === 0) return '持平';
  return `${growth > 0 ? '增长' : '下降'} ${percent(growth)}`;
}

function growthInEnglish(growth: number): string {
  if (growth === 0) return 'unchanged';
  return `${growth > 0 ? 'up' : 'down'} ${percent(growth)}`;
}
