import { expect, it } from 'vitest';
import { tuneText } from '../../src/cli/tune-text.js';
import { tuneReport } from '../support/tune-report.js';

it('tells what was learned from, every figure with its interval, and what would be set', () => {
  const text = tuneText(tuneReport);
  expect(text).toMatch(/^defaults-1 -> tuned-0a1b2c3d: 31 capabilities, model multilingual-e5-small\n/);
  expect(text).toContain('815 labels: learned from 560, judged on 240 others\n');
  expect(text).toMatch(/^top1 +0\.860 +0\.920 +\+0\.060 +\+0\.020 \.\. \+0\.100$/m);
  expect(text).toMatch(/^oos_rejected +0\.800 +0\.800 +-$/m);
  expect(text).toMatch(/^zh +240 +0\.860 -> 0\.920/m);
  expect(text).toMatch(/^refunds-agent\/request-refund +3 +- -> 1\.000/m);
  expect(text).toContain('threshold 0.750 -> 0.620, top_k 5 -> 8\n');
  expect(text).toContain('threshold of refunds-agent/request-refund none -> 0.830\n');
  expect(
    text.endsWith(
      '3 queries have no language.\ntop-1 is up by 6.0 points, in 90 of 100 cases by 2.0 to 10.0.\n',
    ),
  ).toBe(true);
});

it('shows queries that get better before and after, and no heading where none gets worse', () => {
  const text = tuneText(tuneReport);
  expect(text).toContain(
    [
      'Better:',
      '1. (zh) 查一下我上个月的发票',
      '   expected invoices-agent/find-invoices',
      '   before orders-agent/list-orders 0.81 (wrong, acted on)',
      '   after  invoices-agent/find-invoices 0.77 (right, acted on)',
      '',
    ].join('\n'),
  );
  expect(text).not.toContain('Worse:');
});

it('lets no label or intent move a cursor or fake a line', () => {
  const [query] = tuneReport.queries.better;
  if (query === undefined) throw new Error('the sample has no such query');
  const hostile = { ...query, intent: 'a\u001b[2Jb\nc', expected: ['x\u202ey'] };
  const text = tuneText({ ...tuneReport, notes: ['\u0007'], queries: { better: [], worse: [hostile] } });
  expect(text).toContain('a\\u001b[2Jb\\u000ac');
  expect(text).toContain('expected x\\u202ey');
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});
