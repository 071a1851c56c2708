import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { LANGUAGES, type Language, languageOf } from '../asker-language.js';
import { calendarDate } from '../calendar-date.js';
import { integer, object, oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import { cellOf, columnsOf, namedColumn, type Row, rounded, rows } from '../rows.js';
import { anomaliesIn, median } from './kpi-anomalies.js';
import { growthOf, labelColumn, labelOf, metricFigures, metricsOf } from './kpi-figures.js';
import { anomalySentence, comparisonSentence, summarySentence } from './kpi-sentences.js';

/** Limits on the modified z-score; `normal` is the one that its authors recommend. */
const SENSITIVITY_LIMITS = { low: 5, normal: 3.5, high: 2.5 } as const;

const language = optional(oneOf(LANGUAGES));

/** Reports over KPI rows: a summary of one period, two periods compared, values that stand out. */
export const weeklyReportAgent: AgentProgram = new Map([
  ['generate-weekly-summary', generateWeeklySummary],
  ['compare-periods', comparePeriods],
  ['detect-kpi-anomalies', detectKpiAnomalies],
]);

function generateWeeklySummary({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    kpi_data: rows(),
    metric: optional(text),
    top: optional(integer(1, 20)),
    language,
    period: optional(object({ from: calendarDate, to: calendarDate })),
  });
  const { kpi_data: data, period } = fields;
  if (period !== undefined && period.to < period.from) {
    throw refusal('/period/to', `a date not before ${period.from}`, period.to);
  }
  const rankedBy = chosenMetric(data, fields.metric, '/kpi_data');
  const topRows = labelledValues(data, rankedBy)
    .toSorted((a, b) => b.value - a.value)
    .slice(0, fields.top ?? 3)
    .map(({ label, value }) => ({ label, value }));
  const metrics = metricFigures(data);
  const summary = summarySentence(
    { period, rowCount: data.length, metrics, rankedBy, topRows },
    fields.language ?? spokenLanguage(intent, data),
  );
  return {
    result: {
      row_count: data.length,
      metrics: metrics.map(({ previousTotal, ...figures }) => ({
        ...figures,
        previous_total: previousTotal,
      })),
      ranked_by: rankedBy,
      top_rows: topRows,
      summary,
    },
    reply: summary,
  };
}

function comparePeriods({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    current: rows(),
    previous: rows(),
    key: optional(text),
    metric: optional(text),
    language,
  });
  const metric = chosenMetric(fields.current, fields.metric, '/current');
  const key =
    fields.key === undefined
      ? labelColumn(fields.current)
      : namedColumn(fields.key, '/key', columnsOf(fields.current));
  if (key === undefined) {
    throw refusal('/key', 'the column that names the rows, since none holds text', fields.key);
  }
  const current = totalsByKey(fields.current, key, metric);
  const previous = totalsByKey(fields.previous, key, metric);
  const items = [...current]
    .flatMap(([name, value]) => {
      const before = previous.get(name);
      if (before === undefined) return [];
      const change = rounded(value - before);
      return [{ key: name, current: value, previous: before, change, growth: growthOf(value, before) }];
    })
    .toSorted((a, b) => a.change - b.change);
  const currentTotal = rounded([...current.values()].reduce((sum, value) => sum + value, 0));
  const previousTotal = rounded([...previous.values()].reduce((sum, value) => sum + value, 0));
  const growth = growthOf(currentTotal, previousTotal);
  const added = [...current.keys()].filter((name) => !previous.has(name));
  const removed = [...previous.keys()].filter((name) => !current.has(name));
  return {
    result: {
      key,
      metric,
      current_total: currentTotal,
      previous_total: previousTotal,
      change: rounded(currentTotal - previousTotal),
      growth,
      items: items.toReversed(),
      added,
      removed,
    },
    reply: comparisonSentence(
      { metric, currentTotal, previousTotal, growth, items, added, removed },
      fields.language ?? spokenLanguage(intent, fields.current),
    ),
  };
}

function detectKpiAnomalies({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    kpi_data: rows(5),
    metric: optional(text),
    sensitivity: optional(oneOf(['low', 'normal', 'high'])),
    language,
  });
  const metric = chosenMetric(fields.kpi_data, fields.metric, '/kpi_data');
  const series = labelledValues(fields.kpi_data, metric);
  const values = series.map(({ value }) => value);
  const limit = SENSITIVITY_LIMITS[fields.sensitivity ?? 'normal'];
  const anomalies = anomaliesIn(values, limit).map((anomaly) => ({
    ...anomaly,
    label: series[anomaly.index]?.label ?? '',
  }));
  const middle = median(values);
  return {
    result: {
      metric,
      median: middle,
      limit,
      anomalies: anomalies.map(({ label, value, score }) => ({
        label,
        value,
        score,
        direction: score > 0 ? 'high' : 'low',
      })),
    },
    reply: anomalySentence(
      metric,
      middle,
      anomalies,
      fields.language ?? spokenLanguage(intent, fields.kpi_data),
    ),
  };
}

function chosenMetric(data: readonly Row[], named: string | undefined, pointer: string): string {
  const metrics = metricsOf(data);
  if (named !== undefined) return namedColumn(named, '/metric', metrics);
  const [first] = metrics;
  if (first === undefined) throw refusal(pointer, 'rows with at least one column of numbers', data);
  return first;
}

function labelledValues(data: readonly Row[], metric: string): readonly { label: string; value: number }[] {
  const label = labelColumn(data);
  return data.flatMap((row, index) => {
    const value = cellOf(row, metric);
    if (typeof value !== 'number') return [];
    return [{ label: labelOf(label === undefined ? null : cellOf(row, label), index), value }];
  });
}

function totalsByKey(data: readonly Row[], key: string, metric: string): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const [index, row] of data.entries()) {
    const value = cellOf(row, metric);
    if (typeof value !== 'number') continue;
    const name = labelOf(cellOf(row, key), index);
    totals.set(name, rounded((totals.get(name) ?? 0) + value));
  }
  return totals;
}

/** The language of the request's words, or of the columns where a program asks without any. */
function spokenLanguage(intent: string, data: readonly Row[]): Language {
  return languageOf(intent === '' ? columnsOf(data).join(' ') : intent);
}
