import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SAMPLE_PROGRAMS } from '../../src/demo/sample-programs.js';
import { parseManifest } from '../../src/manifest/parse-manifest.js';
import { ask } from './ask.js';

const FOLDER = new URL('../../manifests/', import.meta.url);
const FILES = readdirSync(FOLDER);

// YAML holds JSON, too.
const documentOf = (file: string): unknown => parse(readFileSync(new URL(file, FOLDER), 'utf8'));
const MANIFESTS = await Promise.all(
  FILES.map(async (file) => ({ file, ...(await parseManifest(documentOf(file))) })),
);

/** A call of each capability as a program would make it. */
const PAYLOADS: Readonly<Record<string, Record<string, unknown>>> = {
  'weekly-report-agent/generate-weekly-summary': {
    kpi_data: [{ team: 'A', deals: 3, previous_deals: 2 }],
    top: 1,
    language: 'en',
    period: { from: '2025-03-03', to: '2025-03-09' },
  },
  'weekly-report-agent/compare-periods': { current: [{ s: 'a', v: 1 }], previous: [{ s: 'a', v: 2 }] },
  'weekly-report-agent/detect-kpi-anomalies': {
    kpi_data: [1, 1, 2, 1, 9].map((v) => ({ v })),
    sensitivity: 'high',
  },
  'spreadsheet-agent/convert-table': { content: 'a,b\n1,2', to: 'json', options: { delimiter: ',' } },
  'spreadsheet-agent/profile-table': { content: [{ a: 1 }] },
  'pivot-agent/pivot-table': { rows: [{ r: 'x', c: 'y', v: 1 }], row_key: 'r', column_key: 'c' },
  'pivot-agent/group-totals': { rows: [{ r: 'x', v: 1 }], aggregate: 'avg' },
  'orders-agent/order-status': { order_id: 20231188 },
  'orders-agent/list-orders': { customer: { id: 'C-1004' }, status: 'paid' },
  'orders-agent/cancel-order': { order_id: '20231201', reason: 'other' },
  'orders-agent/invoice-total': { order_id: '20231188' },
  'hr-leave-agent/submit-leave': {
    applicant: { id: 'E1001', name: '张伟' },
    type: 'annual',
    start_date: '2025-03-03',
    days: 2,
  },
  'hr-leave-agent/query-leave-balance': { applicant: { id: 'E1002' }, type: 'sick' },
  'hr-leave-agent/cancel-leave': { leave_id: 'LV-0001' },
  'glossary-agent/look-up-term': { term: '预算', domain: 'finance' },
  'glossary-agent/translate-terms': { text: 'budget', target: 'zh', options: { keep_original: true } },
  'glossary-agent/list-domain-terms': { domain: 'hr' },
  'chat-agent/company-questions': { question: 'what are the office hours', language: 'zh' },
  'chat-agent/small-talk': { question: '你好' },
};

/** What the demo shows: a sentence that stood in a manifest would be found without understanding it. */
const SHOWN = [
  'turn this csv into json',
  'pivot sales by region and month',
  '帮我把这个表格转成 JSON',
  'where is my order 20231188',
  '我想请三天年假',
  "what's the capital of France",
];

test('there is one for each sample program, in JSON and YAML, named after its agent', () => {
  const names = MANIFESTS.map(({ manifest }) => manifest.agentName);
  expect(names.toSorted()).toEqual([...SAMPLE_PROGRAMS.keys()].toSorted());
  expect(FILES.map((file) => file.replace(/\.(json|yaml)$/, ''))).toEqual(names);
  expect(new Set(FILES.map((file) => file.split('.').at(-1)))).toEqual(new Set(['json', 'yaml']));
});

test('each names one static instance with a port of its own', () => {
  const addresses = MANIFESTS.map(({ manifest }) => manifest.instances.map(({ address }) => address));
  const ports = ['9601', '9602', '9603', '9604', '9605', '9606', '9607'];
  expect(addresses.flat().toSorted()).toEqual(ports.map((port) => `http://127.0.0.1:${port}`));
});

test('no example is one of the sentences that the demo shows', () => {
  const examples = MANIFESTS.flatMap(({ manifest }) => manifest.capabilities.flatMap((c) => c.examples));
  expect(examples).toContain('生成本周销售周报摘要');
  expect(examples.filter((example) => SHOWN.includes(example))).toEqual([]);
});

describe.each(MANIFESTS)('$file', ({ manifest, document, validators }) => {
  test('declares the capabilities of its program, with examples', async () => {
    const program = await SAMPLE_PROGRAMS.get(manifest.agentName)?.();
    expect(manifest.capabilities.map(({ id }) => id)).toEqual([...(program?.keys() ?? [])]);
    for (const { examples } of manifest.capabilities) expect(examples.length).toBeGreaterThanOrEqual(5);
  });

  test.each(document.capabilities)(
    '$id takes and gives what its schemas say',
    async ({ id, input_schema, output_schema }) => {
      const payload = PAYLOADS[`${manifest.agentName}/${id}`] ?? null;
      expect(validators.check(id, payload)).toEqual({ missing: [], errors: [] });
      const program = await SAMPLE_PROGRAMS.get(manifest.agentName)?.();
      if (program === undefined) throw new Error('no program');
      // A leave can be cancelled once it is submitted.
      if (id === 'cancel-leave')
        ask(program, 'submit-leave', PAYLOADS['hr-leave-agent/submit-leave'] ?? null);
      const { result } = ask(program, id, payload);
      // Strict, so that a keyword with a typing error does not pass as one that means nothing.
      const ajv = new Ajv2020({ allowUnionTypes: true, formats: { date: true } });
      expect(ajv.compile(input_schema ?? true)(payload)).toBe(true);
      const fits = ajv.compile(output_schema ?? true);
      expect(fits(JSON.parse(JSON.stringify(result))), JSON.stringify(fits.errors)).toBe(true);
    },
  );
});
