import { describe, expect, it } from 'vitest';
import { evaluationOf, setNameOf } from '../../src/evaluation/evaluation-report.js';
import { figuresOf, type Mark } from '../../src/evaluation/figures.js';

const mark = (changes: Partial<Mark>): Mark => ({
  inScope: true,
  right: true,
  rightInFive: true,
  confidence: 0.9,
  lang: 'en',
  latencyMs: 1,
  ...changes,
});
const wrong = { right: false, rightInFive: false };

const MARKS: readonly Mark[] = [
  mark({ confidence: 0.9 }),
  mark({ confidence: 0.6, right: false }),
  mark({ confidence: 0.8, ...wrong }),
  mark({ confidence: 0.75, lang: 'zh', latencyMs: 9 }),
  mark({ inScope: false, ...wrong, confidence: 0.8 }),
  mark({ inScope: false, ...wrong, confidence: 0.1, lang: 'zh' }),
];

describe('figures', () => {
  it('count as they are defined', () => {
    const figures = figuresOf(MARKS, 0.75);
    expect(figures).toMatchObject({ queries: 6, in_scope: 4, out_of_scope: 2, top1: 0.5, top5: 0.75 });
    // In scope 0.9, 0.6, 0.8, 0.75 against 0.8 and 0.1: 1 + 0 + half + 0, and four times 1, of eight pairs.
    expect(figures.oos_auroc).toBeCloseTo(5.5 / 8, 12);
    // At 0.75 or more: right, wrong, right, out of scope.
    expect(figures.at_threshold).toEqual({
      threshold: 0.75,
      precision: 0.5,
      coverage: 4 / 6,
      oos_rejected: 0.5,
    });
  });

  it('take a threshold of 0 for a threshold', () => {
    expect(figuresOf(MARKS, 0).at_threshold).toEqual({
      threshold: 0,
      precision: 2 / 6,
      coverage: 1,
      oos_rejected: 0,
    });
  });

  it('are null where there is nothing to tell them from', () => {
    const inScope = figuresOf([mark({ confidence: 0.2 })], 0.75);
    expect(inScope.oos_auroc).toBeNull();
    expect(inScope.at_threshold).toEqual({
      threshold: 0.75,
      precision: null,
      coverage: 0,
      oos_rejected: null,
    });
    const outOfScope = figuresOf([mark({ inScope: false, ...wrong })], 0.75);
    expect([outOfScope.top1, outOfScope.top5, outOfScope.oos_auroc]).toEqual([null, null, null]);
    expect(outOfScope.ece).toBeCloseTo(0.9, 12);
  });
});

describe('a report', () => {
  const about = { set: 's', capabilities: 7, threshold: 0.75, model: 'm', weightsVersion: 'w' };

  it('has the figures of all and of each language, and the latency', () => {
    const { report, noiseByLang } = evaluationOf(MARKS, about);
    expect(Object.keys(report)).toEqual([
      'set',
      'capabilities',
      'queries',
      'in_scope',
      'out_of_scope',
      'top1',
      'top5',
      'oos_auroc',
      'ece',
      'at_threshold',
      'by_lang',
      'latency_ms',
      'model',
      'weights_version',
    ]);
    expect(Object.keys(report.by_lang)).toEqual(['en', 'zh']);
    expect(report.by_lang.zh).toMatchObject({ queries: 2, in_scope: 1, top1: 1, oos_auroc: 1 });
    expect(report.latency_ms).toEqual({ p50: 1, p99: 9 });
    expect([...noiseByLang.keys()]).toEqual(['en', 'zh']);
  });

  it('keeps a language that is called like something of every object', () => {
    const { report } = evaluationOf([mark({ lang: '__proto__' })], about);
    expect(Object.keys(report.by_lang)).toEqual(['__proto__']);
  });
});

describe('the name of a set', () => {
  it.each([
    ['/data/bfcl/queries.jsonl', 'bfcl'],
    ['/data/labels.jsonl', 'labels'],
    ['/data/today', 'today'],
  ])('of %s is %s', (file, name) => {
    expect(setNameOf(file)).toBe(name);
  });
});
