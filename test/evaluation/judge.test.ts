import { describe, expect, it } from 'vitest';
import { CapabilityNames } from '../../src/evaluation/capability-names.js';
import { evaluate } from '../../src/evaluation/evaluate.js';
import { type JudgedQuery, judgeQueries, predictionOf } from '../../src/evaluation/judge.js';
import type { LabelledQuery } from '../../src/evaluation/labelled-query.js';
import type { Decision, RouteRequest } from '../../src/wire/route.js';
import { manifestOf } from '../support/candidates.js';
import { decision, standInReach } from '../support/stand-in-reach.js';

const names = new CapabilityNames([
  manifestOf('report-agent', [{ id: 'weekly-summary' }]),
  manifestOf('sheet-agent', [{ id: '表格转换' }, { id: 'profile' }]),
  manifestOf('other-agent', [{ id: 'profile' }]),
]);
const [WEEKLY, SHEET] = decision.candidates;
const ASKING = { payload: true, threshold: undefined, topK: 5 };

const query = (changes: Partial<LabelledQuery> = {}): LabelledQuery => ({
  line: 1,
  intent: 'x',
  payload: { a: 1 },
  expected: ['weekly-summary'],
  lang: 'en',
  ...changes,
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Answers the same to everything, and keeps what it was asked. */
function answering(answer: Partial<Decision> = {}) {
  const requests: RouteRequest[] = [];
  const reach = {
    ...standInReach(),
    route: async (request: RouteRequest) => {
      requests.push(request);
      return { ...decision, ...answer };
    },
  };
  return { requests, reach };
}

async function judgedOf(one: LabelledQuery, answer: Partial<Decision> = {}): Promise<JudgedQuery> {
  const { reach } = answering(answer);
  for await (const judged of judgeQueries(each([one]), reach, names, ASKING)) return judged;
  throw new Error('nothing was judged');
}

describe('an answer', () => {
  it('is right where the best candidate is any of the expected', async () => {
    const { mark } = await judgedOf(query({ expected: ['表格转换', 'report-agent/weekly-summary'] }));
    expect(mark).toEqual({
      inScope: true,
      right: true,
      rightInFive: true,
      confidence: 0.91,
      lang: 'en',
      latencyMs: 5.1,
    });
  });

  it('is wrong where another one is, though it may be among the first five', async () => {
    expect((await judgedOf(query({ expected: ['表格转换'] }))).mark).toMatchObject({
      right: false,
      rightInFive: true,
    });
    const candidates = [...Array(5).fill(WEEKLY), SHEET] as Decision['candidates'];
    expect((await judgedOf(query({ expected: ['表格转换'] }), { candidates })).mark.rightInFive).toBe(false);
  });

  it('is wrong where nothing fits, whatever it is', async () => {
    const { mark } = await judgedOf(query({ expected: [] }));
    expect(mark).toMatchObject({ inScope: false, right: false, rightInFive: false });
  });

  it('counts as the best capability also where the outcome is another', async () => {
    const abstained = { outcome: 'human', targetAgent: null, capabilityId: null } as const;
    const { predicted, mark } = await judgedOf(query(), abstained);
    expect([predicted, mark.right]).toEqual(['weekly-summary', true]);
  });

  it('is nothing, with no confidence, where there is no candidate', async () => {
    const { predicted, mark } = await judgedOf(query(), { candidates: [], confidence: 0 });
    expect([predicted, mark.right, mark.confidence]).toEqual([null, false, 0]);
  });
});

describe('a question', () => {
  it.each([
    [ASKING, { intent: 'x', payload: { a: 1 }, topK: 5 }],
    [
      { payload: false, threshold: 0, topK: 2 },
      { intent: 'x', payload: null, topK: 5, threshold: 0 },
    ],
    [
      { payload: true, threshold: 0.5, topK: 9 },
      { intent: 'x', payload: { a: 1 }, topK: 9, threshold: 0.5 },
    ],
  ])('by %j is %j', async (asking, request) => {
    const { reach, requests } = answering();
    for await (const _ of judgeQueries(each([query()]), reach, names, asking));
    expect(requests).toEqual([request]);
  });
});

describe('a prediction', () => {
  it('names by the bare id where that is unique, else by agent and id, up to top_k', async () => {
    const candidates = [
      { ...WEEKLY, agentName: 'sheet-agent', capabilityId: 'profile' },
      SHEET,
    ] as Decision['candidates'];
    const judged = await judgedOf(query(), { candidates });
    expect(predictionOf(judged, names, 1)).toEqual({
      intent: 'x',
      expected: ['weekly-summary'],
      predicted: 'sheet-agent/profile',
      confidence: 0.91,
      outcome: 'routed',
      candidates: [{ capability_id: 'sheet-agent/profile', confidence: 0.91, score: 0.9 }],
    });
    expect(predictionOf(judged, names, 2).candidates[1]?.capability_id).toBe('表格转换');
  });
});

describe('an evaluation', () => {
  it('explains the answers whose confidence was the farthest from the truth', async () => {
    const queries = [
      query({ line: 1 }),
      query({ line: 2, expected: [] }),
      query({ line: 3, intent: 'unsure' }),
      query({ line: 4, intent: 'unsure', expected: [] }),
    ];
    const requests: RouteRequest[] = [];
    const reach = {
      ...standInReach(),
      route: async (request: RouteRequest) => {
        requests.push(request);
        const confidence = request.intent === 'unsure' ? 0.02 : 0.91;
        return { ...decision, candidates: decision.candidates.map((it) => ({ ...it, confidence })) };
      },
    };
    const set = { set: 's', queries: each(queries), names, asking: ASKING, worst: 2 };
    const { evaluation, worst } = await evaluate(reach, set);
    // Right with 0.02 is farther from the truth than wrong with 0.91, and both than the other two.
    expect(worst.map(({ judged }) => judged.query.line)).toEqual([3, 2]);
    expect(requests.filter(({ explain }) => explain).map(({ intent }) => intent)).toEqual(['unsure', 'x']);
    expect(evaluation.report).toMatchObject({ top1: 1, oos_auroc: 0.5, weights_version: 'hand-1' });
    expect(evaluation.report.at_threshold.threshold).toBe(reach.threshold);
  });

  it('takes a threshold of 0 for a threshold', async () => {
    const { reach } = answering();
    const asking = { ...ASKING, threshold: 0 };
    const { evaluation } = await evaluate(reach, {
      set: 's',
      queries: each([query()]),
      names,
      asking,
      worst: 0,
    });
    expect(evaluation.report.at_threshold).toMatchObject({ threshold: 0, coverage: 1 });
  });

  it('refuses to sum up nothing', async () => {
    const set = { set: 's', queries: each<LabelledQuery>([]), names, asking: ASKING, worst: 0 };
    await expect(evaluate(answering().reach, set)).rejects.toThrow('no queries');
  });
});
