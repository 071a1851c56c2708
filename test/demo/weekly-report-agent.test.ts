import { describe, expect, test } from 'vitest';
import { weeklyReportAgent } from '../../src/demo/agents/weekly-report-agent.js';
import { ask, faultsOf } from './ask.js';

const SALES = [
  { 大区: '华东', 销售额: 120.1, 上周销售额: 100 },
  { 大区: '华北', 销售额: 80.2, 上周销售额: 90 },
  { 大区: '华南', 销售额: 100, 上周销售额: 60 },
  { 大区: '西南', 销售额: null, 上周销售额: 0 },
];

describe('the weekly summary', () => {
  test('adds up, compares with the week before and ranks', () => {
    const { result, reply } = ask(weeklyReportAgent, 'generate-weekly-summary', {
      kpi_data: SALES,
      top: 2,
      period: { from: '2025-03-03', to: '2025-03-09' },
    });
    expect(result).toMatchObject({
      row_count: 4,
      metrics: [{ metric: '销售额', total: 300.3, average: 100.1, previous_total: 250, growth: 0.2012 }],
      ranked_by: '销售额',
      top_rows: [
        { label: '华东', value: 120.1 },
        { label: '华南', value: 100 },
      ],
    });
    expect(reply).toBe(
      '2025-03-03 至 2025-03-09共 4 条数据。销售额合计 300.3,平均 100.1,环比增长 20.12%。销售额排名前 2:华东 120.1、华南 100。',
    );
  });

  test('answers in the language of the question, whatever the data is in', () => {
    const payload = { kpi_data: [{ team: 'A', deals: 3, previous_deals: 4, calls: 10 }] };
    const english = ask(weeklyReportAgent, 'generate-weekly-summary', payload, "summarise last week's KPIs");
    expect(english.reply).toBe(
      'This period: 1 rows. deals: total 3, average 3, down 25%; calls: total 10, average 10. Top 1 by deals: A 3.',
    );
    const chinese = ask(weeklyReportAgent, 'generate-weekly-summary', payload, '写周报');
    expect(chinese.reply).toContain('deals合计 3,平均 3,环比下降 25%');
  });

  test('has no growth from nothing', () => {
    const { result } = ask(weeklyReportAgent, 'generate-weekly-summary', {
      kpi_data: [{ shop: 'X', orders: 5, previous: 0 }],
    });
    expect(result).toMatchObject({ metrics: [{ metric: 'orders', previous_total: 0, growth: null }] });
  });

  test('names rows without a label by their place', () => {
    const { result } = ask(weeklyReportAgent, 'generate-weekly-summary', { kpi_data: [{ v: 1 }, { v: 2 }] });
    expect(result).toMatchObject({ top_rows: [{ label: '#2' }, { label: '#1' }] });
  });

  test.each([
    [null, '/kpi_data', 'nothing'],
    [{ kpi_data: [] }, '/kpi_data', 'an array of 0'],
    [{ kpi_data: 'x' }, '/kpi_data', 'the string "x"'],
    [{ kpi_data: [{ a: { b: 1 } }] }, '/kpi_data/0/a', 'an object'],
    [{ kpi_data: [1] }, '/kpi_data/0', 'the number 1'],
    [{ kpi_data: [{ a: 'text only' }] }, '/kpi_data', 'an array of 1'],
    [{ kpi_data: SALES, metric: '大区' }, '/metric', 'the string "大区"'],
    [{ kpi_data: SALES, top: 0 }, '/top', 'the number 0'],
    [
      { kpi_data: SALES, period: { from: '2025-02-29', to: '2025-03-01' } },
      '/period/from',
      'the string "2025-02-29"',
    ],
    [
      { kpi_data: SALES, period: { from: '2025-03-02', to: '2025-03-01' } },
      '/period/to',
      'the string "2025-03-01"',
    ],
  ])('refuses %j', (payload, pointer, received) => {
    expect(faultsOf(weeklyReportAgent, 'generate-weekly-summary', payload)).toMatchObject([
      { pointer, received },
    ]);
  });

  test('lists all faults, but not the same one for every row', () => {
    const two = faultsOf(weeklyReportAgent, 'generate-weekly-summary', {
      kpi_data: [{ a: [] }],
      language: 'fr',
    });
    expect(two.map(({ pointer }) => pointer)).toEqual(['/kpi_data/0/a', '/language']);
    const many = faultsOf(weeklyReportAgent, 'generate-weekly-summary', { kpi_data: Array(500).fill(7) });
    expect(many).toHaveLength(20);
  });
});

describe('two periods', () => {
  const current = [
    { shop: 'Berlin', revenue: 150 },
    { shop: 'Paris', revenue: 80 },
    { shop: 'Paris', revenue: 10 },
    { shop: 'Rome', revenue: 5 },
  ];
  const previous = [
    { shop: 'Berlin', revenue: 100 },
    { shop: 'Paris', revenue: 120 },
    { shop: 'Oslo', revenue: 30 },
  ];

  test('are compared key by key', () => {
    const { result, reply } = ask(
      weeklyReportAgent,
      'compare-periods',
      { current, previous },
      'compare them',
    );
    expect(result).toEqual({
      key: 'shop',
      metric: 'revenue',
      current_total: 245,
      previous_total: 250,
      change: -5,
      growth: -0.02,
      items: [
        { key: 'Berlin', current: 150, previous: 100, change: 50, growth: 0.5 },
        { key: 'Paris', current: 90, previous: 120, change: -30, growth: -0.25 },
      ],
      added: ['Rome'],
      removed: ['Oslo'],
    });
    expect(reply).toBe(
      'revenue went from 250 to 245 (down 2%); largest rise: Berlin (+50); largest fall: Paris (-30); new: Rome; gone: Oslo.',
    );
  });

  test('need both sides and a column that names the rows', () => {
    expect(faultsOf(weeklyReportAgent, 'compare-periods', { current })).toMatchObject([
      { pointer: '/previous' },
    ]);
    const unnamed = { current: [{ v: 1 }], previous: [{ v: 2 }] };
    expect(faultsOf(weeklyReportAgent, 'compare-periods', unnamed)).toMatchObject([{ pointer: '/key' }]);
    expect(faultsOf(weeklyReportAgent, 'compare-periods', { current, previous, key: 'x' })).toMatchObject([
      { pointer: '/key', expected: 'one of shop, revenue' },
    ]);
  });
});

describe('anomalies', () => {
  const days = (values: readonly number[]) => values.map((visits, i) => ({ day: `d${i + 1}`, visits }));

  test('are the values far from the median', () => {
    const { result, reply } = ask(
      weeklyReportAgent,
      'detect-kpi-anomalies',
      { kpi_data: days([100, 102, 98, 101, 99, 20, 103]) },
      '有没有异常',
    );
    // Median 100, median absolute deviation 2: (20 - 100) * 0.6745 / 2.
    expect(result).toMatchObject({
      metric: 'visits',
      median: 100,
      limit: 3.5,
      anomalies: [{ label: 'd6', value: 20, score: -26.98, direction: 'low' }],
    });
    expect(reply).toBe('visits有 1 个异常值:d6 (20);中位数 100。');
  });

  test('are found where most values are equal, and none where all are', () => {
    const spike = ask(weeklyReportAgent, 'detect-kpi-anomalies', { kpi_data: days([5, 5, 5, 5, 5, 5, 50]) });
    expect(spike.result).toMatchObject({ anomalies: [{ label: 'd7', direction: 'high' }] });
    const flat = ask(weeklyReportAgent, 'detect-kpi-anomalies', { kpi_data: days([5, 5, 5, 5, 5]) });
    expect(flat.result).toMatchObject({ anomalies: [] });
  });

  test('are told more of when asked to look closely', () => {
    const kpi_data = days([10, 11, 12, 13, 14, 19]);
    const normal = ask(weeklyReportAgent, 'detect-kpi-anomalies', { kpi_data });
    const high = ask(weeklyReportAgent, 'detect-kpi-anomalies', { kpi_data, sensitivity: 'high' });
    expect(normal.result).toMatchObject({ anomalies: [] });
    expect(high.result).toMatchObject({ anomalies: [{ label: 'd6', value: 19, score: 2.92 }] });
  });
});
