import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SAMPLE_PROGRAMS } from '../../src/demo/sample-programs.js';
import { parseManifest } from '../../src/manifest/parse-manifest.js';
import { DEMO_SENTENCES, FITS_NOTHING } from '../support/demo-sentences.js';
import { ask, askToTheEnd } from './ask.js';

const FOLDER = new URL('../../manifests/', import.meta.url);
/** The shipped ones: whoever tries the demo may have saved others beside them. */
const FILES = readdirSync(FOLDER).filter((file) => SAMPLE_PROGRAMS.has(file.replace(/\.[a-z]+$/, '')));

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
  'invoices-agent/create-invoice': {
    customer: { name: 'Alpina', country: 'FR' },
    lines: [{ description: 'Training', quantity: 2, unit_price: 900.5 }],
    issued_on: '2025-03-03',
    terms_days: 14,
  },
  'invoices-agent/invoice-status': { invoice_number: 'INV-2041', as_of: '2025-03-01' },
  'invoices-agent/overdue-invoices': { as_of: '2025-03-10', min_days_late: 7, customer: 'Nordwind' },
  'invoices-agent/record-payment': {
    invoice_number: 'INV-2042',
    amount: 12.5,
    paid_on: '2025-03-04',
    method: 'card',
  },
  'refunds-agent/request-refund': {
    order_id: 20231188,
    items: [{ sku: 'MON-27', quantity: 1 }],
    reason: 'damaged',
  },
  'refunds-agent/refund-status': { refund_id: 'RF-1001' },
  'refunds-agent/check-return-window': { order_id: '20231188', as_of: '2023-12-01' },
  'calendar-agent/create-event': {
    title: 'Review',
    date: '2025-03-04',
    start_time: '14:30',
    duration_minutes: 45,
    attendees: ['Anna'],
    options: { location: 'Room 2', visibility: 'private' },
  },
  'calendar-agent/list-events': { date: '2025-03-04', person: 'Tom' },
  'calendar-agent/find-free-slot': {
    people: ['Anna', 'Tom'],
    date: '2025-03-04',
    duration_minutes: 60,
    between: { from: '10:00', to: '17:00' },
  },
  'calendar-agent/cancel-event': { event_id: 'EV-0001' },
  'mail-agent/search-mail': { query: 'lease', folder: 'inbox', unread: true, since: '2025-02-01', limit: 5 },
  'mail-agent/send-mail': {
    to: ['anna@reach.example'],
    cc: [],
    subject: 'Hi',
    body: 'The room has changed.',
    importance: 'low',
  },
  'mail-agent/summarise-thread': { thread_id: 'T-03' },
  'log-inspection-agent/search-logs': { service: 'payment', level: 'error', text: 'refused', limit: 3 },
  'log-inspection-agent/count-errors': { per: 'hour', from: '2025-03-03', to: '2025-03-04' },
  'log-inspection-agent/read-stack-trace': {
    stack_trace: 'Error: no\n    at f (/app/a.js:1:2)',
    own_code: '/app',
  },
  'deployment-agent/deploy-service': {
    service: 'search',
    version: '2.0.0',
    environment: 'production',
    strategy: { kind: 'canary', percent: 10 },
  },
  'deployment-agent/roll-back-service': { service: 'payment', environment: 'staging', reason: 'slow' },
  'deployment-agent/deployment-status': { service: 'search' },
  'deployment-agent/deployment-history': { environment: 'production', limit: 2 },
  'knowledge-search-agent/search-documents': { query: 'failover', language: 'en', limit: 2 },
  'knowledge-search-agent/open-document': { document_id: 'KB-103', section: 'Severity' },
  'knowledge-search-agent/outdated-documents': { older_than_days: 30, owner: 'finance', as_of: '2025-03-03' },
  'travel-agent/search-connections': { from: '上海', to: 'Beijing', kind: 'train', sort: 'duration' },
  'travel-agent/book-trip': {
    connection_id: 'G2',
    date: '2025-03-05',
    return: { connection_id: 'G1', date: '2025-03-07' },
    travellers: 2,
    class: 'first',
  },
  'travel-agent/cancel-trip': { booking_id: 'TR-0001', cancelled_on: '2025-03-04' },
  'travel-agent/travel-allowance': { city: 'Paris', from: '2025-03-03', to: '2025-03-06' },
};

/** What must have been done before: only what was submitted or booked can be cancelled. */
const BEFORE: Readonly<Record<string, string>> = {
  'cancel-leave': 'submit-leave',
  'cancel-trip': 'book-trip',
};

/** A sentence that stood in a manifest would be found without understanding it; one may, to show just that. */
const SHOWN = new Set<string>([...DEMO_SENTENCES.flat(), ...FITS_NOTHING]);
const DECLARED = '生成本周销售周报摘要';

test('there is one for each sample program, in JSON and YAML, named after its agent', () => {
  const names = MANIFESTS.map(({ manifest }) => manifest.agentName);
  expect(names.toSorted()).toEqual([...SAMPLE_PROGRAMS.keys()].toSorted());
  expect(FILES.map((file) => file.replace(/\.(json|yaml)$/, ''))).toEqual(names);
  expect(new Set(FILES.map((file) => file.split('.').at(-1)))).toEqual(new Set(['json', 'yaml']));
});

test('together they are a company: 15 agents with 47 capabilities, in both languages', () => {
  const capabilities = MANIFESTS.flatMap(({ manifest }) => manifest.capabilities);
  expect(MANIFESTS).toHaveLength(15);
  expect(capabilities).toHaveLength(47);
  const chinese = (text: string) => /\p{Script=Han}/u.test(text);
  const languages = new Set(capabilities.flatMap(({ examples }) => examples.map(chinese)));
  expect(languages).toEqual(new Set([true, false]));
});

test('each names one static instance with a port of its own', () => {
  const addresses = MANIFESTS.map(({ manifest }) => manifest.instances.map(({ address }) => address));
  const ports = FILES.map((_, index) => 9601 + index);
  expect(addresses.flat().toSorted()).toEqual(ports.map((port) => `http://127.0.0.1:${port}`));
});

test('only one example is among the sentences that the demo shows', () => {
  const examples = MANIFESTS.flatMap(({ manifest }) => manifest.capabilities.flatMap((c) => c.examples));
  expect(examples.filter((example) => SHOWN.has(example))).toEqual([DECLARED]);
});

describe.each(MANIFESTS)('$file', ({ manifest, document, validators }) => {
  test('declares the capabilities of its program, with examples', async () => {
    const program = await SAMPLE_PROGRAMS.get(manifest.agentName)?.();
    expect(manifest.capabilities.map(({ id }) => id)).toEqual([...(program?.keys() ?? [])]);
    for (const { examples } of manifest.capabilities) {
      expect(examples.length).toBeGreaterThanOrEqual(5);
      expect(examples.length).toBeLessThanOrEqual(8);
    }
  });

  test.each(document.capabilities)(
    '$id takes and gives what its schemas say',
    async ({ id, input_schema, output_schema }) => {
      const payload = PAYLOADS[`${manifest.agentName}/${id}`] ?? null;
      expect(validators.check(id, payload)).toEqual({ missing: [], errors: [] });
      const program = await SAMPLE_PROGRAMS.get(manifest.agentName)?.();
      if (program === undefined) throw new Error('no program');
      const before = BEFORE[id];
      if (before !== undefined) ask(program, before, PAYLOADS[`${manifest.agentName}/${before}`] ?? null);
      const { result } = (await askToTheEnd(program, id, payload)).answer;
      // Strict, so that a keyword with a typing error does not pass as one that means nothing.
      const ajv = new Ajv2020({ allowUnionTypes: true, formats: { date: true } });
      expect(ajv.compile(input_schema ?? true)(payload)).toBe(true);
      const fits = ajv.compile(output_schema ?? true);
      expect(fits(JSON.parse(JSON.stringify(result))), JSON.stringify(fits.errors)).toBe(true);
    },
  );
});
