import { expect, it } from 'vitest';
import type { Compared, TuneReport } from '../../src/judging/tune-report.js';
import { tunePage } from '../../src/report/tune-page.js';
import { tuneReport } from '../support/tune-report.js';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;`;
const ESCAPED =
  '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;&amp;amp;';

/** Tags that are opened and not closed, or closed and not open, in the order in which that shows. */
function misplacedTags(page: string): string[] {
  const open: string[] = [];
  const misplaced: string[] = [];
  const body = page.slice(page.indexOf('<body>'));
  for (const [, end, name = '', alone] of body.matchAll(
    /<(\/?)([a-z0-9]+)(?:\s(?:[^"<>]|"[^"]*")*?)?(\/?)>/g,
  )) {
    if (name === 'html' || name === 'br' || alone === '/') continue;
    if (end === '') open.push(name);
    else if (open.pop() !== name) misplaced.push(name);
  }
  return [...misplaced, ...open];
}

it('shows every part that a person decides by, each with how to read it', () => {
  const page = tunePage(tuneReport);
  const headings = [...page.matchAll(/<h2>(.+?)<\/h2>/g)].map(([, heading]) => heading);
  expect(headings).toEqual([
    'The words',
    'All in all',
    'Where to put the threshold',
    'Can its confidence be believed?',
    'How many candidates to look at',
    'What is taken for what',
    'By language',
    'By capability',
    'Intents that get better, and worse',
    'What would be set',
    'What was left out, and what cannot be told',
  ]);
  for (const words of ['What it shows', 'Good looks like', 'What to do']) {
    expect(page.split(`<dt>${words}</dt>`)).toHaveLength(9);
  }
  expect(page).toContain('<bdi lang="zh">查一下我上个月的发票</bdi>');
  expect(page).toContain('threshold: 0.75 before (dashed), 0.62 after');
  expect(misplacedTags(page)).toEqual([]);
});

it('stands alone: it asks for nothing and runs nothing', () => {
  const page = tunePage(tuneReport);
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(page).not.toMatch(/<script|<link|<img|@import|url\(|\ssrc=|\shref=|https?:/);
});

it('draws a gap where a precision cannot be told, and a dot for each bin and each top-k', () => {
  const page = tunePage(tuneReport);
  const paths = [...page.matchAll(/<path class="precision after" d="(.+?)"\/>/g)].map(
    ([, path = '']) => path,
  );
  // The sample of the key, the curve, recall and latency.
  expect(paths).toHaveLength(4);
  const [x = 0] = (paths[1] ?? '').split('L').at(-1)?.split(',').map(Number) ?? [];
  expect(x).toBeGreaterThan(560);
  expect(x).toBeLessThan(650);
  expect(page.match(/after: 24 answers with a confidence of about/g)).toHaveLength(10);
  expect(page.match(/<title>\d+: \d+\.\d\u00a0%<\/title>/g)).toHaveLength(9);
});

it('calls a change good or bad only where its interval lies on one side', () => {
  const page = tunePage(tuneReport);
  const tones = [...page.matchAll(/<g class="(good|bad|open)">/g)].map(([, tone]) => tone);
  expect(tones).toEqual(['good', 'open', 'good', 'good']);
  const down: Compared = {
    ...tuneReport.all,
    changes: { ...tuneReport.all.changes, top1: { change: -0.1, low: -0.2, high: -0.01 } },
  };
  expect(tunePage({ ...tuneReport, all: down })).toContain('<g class="bad">');
});

it('writes hostile intents, labels, languages, names and notes as the texts that they are', () => {
  const answer = { predicted: HOSTILE, right: false, confidence: 1, sure: true };
  const query = { intent: HOSTILE, lang: HOSTILE, expected: [HOSTILE], before: answer, after: answer };
  const capability = tuneReport.by_capability['refunds-agent/request-refund'];
  if (capability === undefined) throw new Error('the sample has no such capability');
  const hostile: TuneReport = {
    ...tuneReport,
    model: HOSTILE,
    weights_version: { before: HOSTILE, after: HOSTILE },
    weights: { ...tuneReport.weights, thresholds: { [HOSTILE]: { before: null, after: 0.5 } } },
    verdict_reason: HOSTILE,
    notes: [HOSTILE],
    by_lang: { [HOSTILE]: tuneReport.all },
    by_capability: { [HOSTILE]: capability },
    queries: { better: [query], worse: [query] },
    charts: {
      ...tuneReport.charts,
      confusion: [{ expected: HOSTILE, predicted: HOSTILE, before: 1, after: 2 }],
    },
  };
  const page = tunePage(hostile);
  expect(page).not.toMatch(/<script|<img/);
  expect(page.split(ESCAPED).length).toBeGreaterThan(20);
  expect(misplacedTags(page)).toEqual([]);
});

it('is a page where there is next to nothing to tell', () => {
  const nothing = { before: [], after: [] };
  const unknown = { top1: null, precision: null, coverage: null, oos_rejected: null, ece: null };
  const page = tunePage({
    ...tuneReport,
    verdict: 'too_small',
    labels_more: 120,
    all: { ...tuneReport.all, changes: unknown },
    by_lang: {},
    by_capability: {},
    queries: { better: [], worse: [] },
    charts: { thresholds: nothing, reliability: nothing, top_k: [], confusion: [] },
  });
  expect(page).toContain('Too few labels to tell');
  expect(page).not.toMatch(/NaN|Infinity|undefined|null/);
});
