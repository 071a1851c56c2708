import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import {
  type Cell,
  cellOf,
  columnsOf,
  namedColumn,
  numericColumns,
  type Row,
  rounded,
  rows,
} from '../rows.js';
import { AGGREGATES, type Aggregate, aggregateOf, namedAggregate } from './aggregation.js';

/** What is computed of each group: an aggregate of a column, or the count of rows where there is none. */
interface Measure {
  readonly column: string | null;
  readonly aggregate: Aggregate;
}

/** A key as the payload names it, where it does. */
interface GivenKey {
  readonly pointer: string;
  readonly column: string | undefined;
}

/** Two columns of unique values would else make a table as large as their product. */
const MAX_CELLS = 200_000;

/** Pivots rows into a grid, or into one figure a group. */
export const pivotAgent: AgentProgram = new Map([
  ['pivot-table', pivotTable],
  ['group-totals', groupTotals],
]);

function pivotTable({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    rows: rows(),
    row_key: optional(text),
    column_key: optional(text),
    value: optional(text),
    aggregate: optional(oneOf(AGGREGATES)),
  });
  const data = fields.rows;
  const measure = chosenMeasure(data, fields.value, fields.aggregate, intent);
  const [rowKey, columnKey] = chosenKeys(data, measure, intent, [
    { pointer: '/row_key', column: fields.row_key },
    { pointer: '/column_key', column: fields.column_key },
  ]);
  const groups = groupBy(data, rowKey);
  const columns = groupBy(data, columnKey);
  if (groups.size * columns.size > MAX_CELLS) {
    throw refusal('/column_key', `keys that make at most ${MAX_CELLS} cells`, columnKey);
  }
  const total = measured(data, measure);
  return {
    result: {
      row_key: rowKey,
      column_key: columnKey,
      value: measure.column,
      aggregate: measure.aggregate,
      columns: [...columns.keys()],
      rows: [...groups].map(([key, members]) => {
        const cells = groupBy(members, columnKey);
        return {
          key,
          cells: [...columns.keys()].map((column) => measured(cells.get(column), measure)),
          total: measured(members, measure),
        };
      }),
      column_totals: [...columns.values()].map((members) => measured(members, measure)),
      grand_total: total,
    },
    reply: `${nameOf(measure)}, ${groups.size} × ${columns.size} (${rowKey} × ${columnKey}); over all rows: ${total}.`,
  };
}

function groupTotals({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    rows: rows(),
    group_by: optional(text),
    value: optional(text),
    aggregate: optional(oneOf(AGGREGATES)),
  });
  const data = fields.rows;
  const measure = chosenMeasure(data, fields.value, fields.aggregate, intent);
  const [groupKey] = chosenKeys(data, measure, intent, [{ pointer: '/group_by', column: fields.group_by }]);
  const total = measured(data, measure);
  const additive = measure.aggregate === 'sum' || measure.aggregate === 'count';
  const groups = [...groupBy(data, groupKey)]
    .map(([key, members]) => {
      const value = measured(members, measure);
      const share = additive && value !== null && total ? rounded(value / total, 4) : null;
      return { key, value, share, rows: members.length };
    })
    .toSorted((a, b) => (b.value ?? Number.NEGATIVE_INFINITY) - (a.value ?? Number.NEGATIVE_INFINITY));
  const [first] = groups;
  return {
    result: {
      group_by: groupKey,
      value: measure.column,
      aggregate: measure.aggregate,
      groups,
      total,
    },
    reply: `${nameOf(measure)} for ${groups.length} values of ${groupKey}: ${total} over all rows, most for ${first?.key} (${first?.value}).`,
  };
}

/** The measure that the payload, else the sentence names; else the first column of numbers, summed up. */
function chosenMeasure(
  data: readonly Row[],
  column: string | undefined,
  aggregate: Aggregate | undefined,
  intent: string,
): Measure {
  const numeric = numericColumns(data);
  const wanted = aggregate ?? namedAggregate(intent);
  if (column !== undefined) {
    const fitting = wanted === 'count' ? columnsOf(data) : numeric;
    return { column: namedColumn(column, '/value', fitting), aggregate: wanted ?? 'sum' };
  }
  const [chosen = null] = [...mentioned(intent, numeric), ...numeric];
  if (wanted === 'count' || (wanted === undefined && chosen === null)) {
    return { column: null, aggregate: 'count' };
  }
  if (chosen === null) throw refusal('/rows', `a column of numbers to take the ${wanted} of`, data);
  return { column: chosen, aggregate: wanted ?? 'sum' };
}

/** For each key the column that the payload, else the sentence names, else the next one that holds no numbers. */
function chosenKeys<const Given extends readonly GivenKey[]>(
  data: readonly Row[],
  measure: Measure,
  intent: string,
  given: Given,
): { [Index in keyof Given]: string } {
  const columns = columnsOf(data);
  const numeric = numericColumns(data);
  const taken = new Set([measure.column, ...given.map(({ column }) => column)]);
  const free = [...mentioned(intent, columns), ...columns.filter((column) => !numeric.includes(column))];
  const left = [...new Set(free)].filter((column) => !taken.has(column));
  return given.map(({ pointer, column }) => {
    if (column !== undefined) return namedColumn(column, pointer, columns);
    const next = left.shift();
    if (next === undefined) throw refusal(pointer, 'the name of a column to group by', column);
    return next;
  }) as { [Index in keyof Given]: string };
}

/** The columns that a sentence names, in its order. */
function mentioned(intent: string, columns: readonly string[]): readonly string[] {
  const sentence = intent.toLowerCase();
  return columns
    .map((column) => ({ column, at: sentence.indexOf(column.toLowerCase().replaceAll('_', ' ')) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at)
    .map(({ column }) => column);
}

function groupBy(data: readonly Row[], column: string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of data) {
    const key = keyOf(cellOf(row, column));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function keyOf(cell: Cell): string {
  return cell === null || cell === '' ? '(empty)' : String(cell);
}

function measured(members: readonly Row[] | undefined, { column, aggregate }: Measure): number | null {
  if (members === undefined) return null;
  return aggregateOf(
    members.map((row) => (column === null ? null : cellOf(row, column))),
    aggregate,
  );
}

function nameOf({ column, aggregate }: Measure): string {
  return column === null ? 'count of rows' : `${aggregate} of ${column}`;
}
