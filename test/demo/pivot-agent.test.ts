import { describe, expect, test } from 'vitest';
import { pivotAgent } from '../../src/demo/agents/pivot-agent.js';
import { ask, faultsOf } from './ask.js';

const ROWS = [
  { region: 'East', month: 'Jan', sales: 10.1, rep: 'Ann' },
  { region: 'East', month: 'Feb', sales: 20.2, rep: 'Bob' },
  { region: 'West', month: 'Jan', sales: 5, rep: 'Ann' },
  { region: 'East', month: 'Jan', sales: 1, rep: 'Bob' },
  { region: '', month: 'Feb', sales: null, rep: 'Ann' },
];

const pivot = (payload: Record<string, unknown>, intent = '') =>
  ask(pivotAgent, 'pivot-table', { rows: ROWS, ...payload }, intent).result;

describe('a pivot table', () => {
  test('is what the sentence asks for', () => {
    expect(pivot({}, 'pivot sales by region and month')).toEqual({
      row_key: 'region',
      column_key: 'month',
      value: 'sales',
      aggregate: 'sum',
      columns: ['Jan', 'Feb'],
      rows: [
        { key: 'East', cells: [11.1, 20.2], total: 31.3 },
        { key: 'West', cells: [5, null], total: 5 },
        { key: '(empty)', cells: [null, 0], total: 0 },
      ],
      column_totals: [16.1, 20.2],
      grand_total: 36.3,
    });
  });

  test.each([
    ['avg', [5.55, 20.2], 10.43],
    ['min', [1, 20.2], 1],
    ['max', [10.1, 20.2], 20.2],
    ['count', [2, 1], 3],
  ])('computes %s over the rows, for totals too', (aggregate, cells, total) => {
    const result = pivot({ row_key: 'region', column_key: 'month', value: 'sales', aggregate });
    expect(result).toMatchObject({ rows: [{ key: 'East', cells, total }, {}, {}] });
  });

  test('has no average of nothing', () => {
    const result = pivot({ row_key: 'region', column_key: 'month', aggregate: 'avg' });
    expect(result).toMatchObject({ rows: [{}, {}, { key: '(empty)', cells: [null, null], total: null }] });
  });

  test('counts rows where there is nothing to add up', () => {
    const rows = [
      { a: 'x', b: 'y' },
      { a: 'x', b: 'z' },
    ];
    expect(ask(pivotAgent, 'pivot-table', { rows }).result).toMatchObject({
      value: null,
      aggregate: 'count',
      rows: [{ key: 'x', cells: [1, 1], total: 2 }],
    });
  });

  test('takes columns in the order of the sentence, and the rest where it names too few', () => {
    expect(pivot({}, 'average sales per rep, by month')).toMatchObject({
      row_key: 'rep',
      column_key: 'month',
      aggregate: 'avg',
    });
    expect(pivot({}, 'pivot sales by regoin and month')).toMatchObject({
      row_key: 'month',
      column_key: 'region',
      grand_total: 36.3,
    });
  });

  test.each([
    [null, '/rows', 'an array of at least 1 row'],
    [{ rows: ROWS, row_key: 'country' }, '/row_key', 'one of region, month, sales, rep'],
    [{ rows: ROWS, value: 'rep' }, '/value', 'one of sales'],
    [{ rows: ROWS, aggregate: 'median' }, '/aggregate', 'one of sum, avg, count, min, max'],
    [{ rows: [{ a: 'x', n: 1 }] }, '/column_key', 'the name of a column to group by'],
    [{ rows: [{ a: 'x', b: 'y' }], aggregate: 'sum' }, '/rows', 'a column of numbers to take the sum of'],
    [
      { rows: Array.from({ length: 500 }, (_, i) => ({ a: `a${i}`, b: `b${i}` })) },
      '/column_key',
      'keys that make at most 200000 cells',
    ],
  ])('is refused where it cannot be made', (payload, pointer, expected) => {
    expect(faultsOf(pivotAgent, 'pivot-table', payload)).toMatchObject([{ pointer, expected }]);
  });
});

test('group totals are ranked and have shares of the whole', () => {
  const { result, reply } = ask(pivotAgent, 'group-totals', { rows: ROWS }, 'total sales per rep');
  expect(result).toEqual({
    group_by: 'rep',
    value: 'sales',
    aggregate: 'sum',
    groups: [
      { key: 'Bob', value: 21.2, share: 0.584, rows: 2 },
      { key: 'Ann', value: 15.1, share: 0.416, rows: 3 },
    ],
    total: 36.3,
  });
  expect(reply).toBe('sum of sales for 2 values of rep: 36.3 over all rows, most for Bob (21.2).');
  const counted = ask(pivotAgent, 'group-totals', { rows: ROWS, group_by: 'month' }, 'how many rows');
  expect(counted.result).toMatchObject({
    groups: [
      { key: 'Jan', value: 3, share: 0.6 },
      { key: 'Feb', value: 2 },
    ],
  });
});
