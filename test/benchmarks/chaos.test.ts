import { describe, expect, it } from 'vitest';
import { faultOfBreaker } from '../../benchmarks/support/breaker-judge.js';
import { chaos } from '../../benchmarks/support/chaos-figures.js';
import { judgeChaos } from '../../benchmarks/support/chaos-judge.js';
import {
  faultsOfEnd,
  type SeenRequest,
  sameInstanceTwice,
} from '../../benchmarks/support/request-end-judge.js';
import type { Execution } from '../../benchmarks/support/work-agent-process.js';
import { endedRequest, execution } from './seen-requests.js';

const SECONDS = 60;

describe('the chaos benchmark, in short', () => {
  it('ends every request in exactly one final state, repeats nothing that must not be, and opens, tries and closes breakers', async () => {
    const report = await chaos(SECONDS);
    expect(report).toMatchObject({
      notOneEnd: [],
      carriedOutAgain: [],
      onFailedInstance: [],
      breakers: 6,
      wrongBreakers: [],
    });
    expect(report.attemptsEach).toBeLessThanOrEqual(1.2);
    expect(report.harmed).toBeGreaterThan(0.05 * report.requests);
    expect(report.completed).toBeGreaterThan(0.7 * report.requests);
  }, 300_000);
});

describe('the judge of an end', () => {
  const done = [execution()];

  it('has nothing to say of a request that everybody was told alike', () => {
    expect(faultsOfEnd(endedRequest(['queued', 'routing', 'delivered', 'completed']), done)).toEqual([]);
  });

  it.each<[string, SeenRequest, readonly Execution[]]>([
    ['was lost', { kind: 'lost', requestId: 'r', problem: 'gone' }, done],
    ['has 0 final states', endedRequest(['routing', 'delivered'], { state: 'completed' }), done],
    ['has 2 final states', endedRequest(['routing', 'failed', 'completed']), done],
    ['leapt', endedRequest(['routing', 'processing', 'completed']), done],
    [
      'told to have ended as completed, failed',
      endedRequest(['routing', 'completed'], { told: 'failed' }),
      done,
    ],
    [
      'told to have ended as completed, cancelled',
      endedRequest(['routing', 'completed'], { lastEvent: 'cancelled' }),
      done,
    ],
    ['told other states', endedRequest(['routing', 'completed'], { toldStates: ['completed'] }), done],
    ['nobody did it', endedRequest(['routing', 'delivered', 'completed']), [execution({ done: false })]],
  ])('finds one that %s', (fault, request, executions) => {
    expect(faultsOfEnd(request, executions).join()).toContain(fault);
  });

  it('finds an instance that a request came to twice without a wait in between', () => {
    const { status: hasty } = endedRequest(['routing', 'delivered', 'delivered', 'failed']);
    expect(sameInstanceTwice(hasty)).toEqual(['r came to north/i0 again']);
    const { status: patient } = endedRequest([
      'routing',
      'delivered',
      'retry_waiting',
      'delivered',
      'failed',
    ]);
    expect(sameInstanceTwice(patient)).toEqual([]);
  });
});

describe('the judge of a run', () => {
  const call = { requestId: 'r', capabilityId: 'write', atMs: 0, fault: undefined };
  const runOf = (capabilityId: string, times: number) =>
    judgeChaos({
      requests: [endedRequest(['routing', 'delivered', 'completed'])],
      instances: ['north/i0', 'north/i1'].map((name, index) => ({
        name,
        sickUntilMs: undefined,
        calls: [call],
        executions: index < times ? [execution({ capabilityId })] : [],
      })),
    });

  it('finds what was carried out by two, but for what may be repeated', () => {
    expect(runOf('write', 1).carriedOutAgain).toEqual([]);
    expect(runOf('write', 2).carriedOutAgain).toEqual(['r was carried out 2 times']);
    expect(runOf('read', 2).carriedOutAgain).toEqual([]);
  });

  it('counts the calls that came to the instances', () => {
    expect(runOf('read', 1)).toMatchObject({ requests: 1, completed: 1, attemptsEach: 2 });
  });
});

describe('the judge of a breaker', () => {
  const every = (fromMs: number, untilMs: number, stepMs: number) =>
    Array.from({ length: (untilMs - fromMs) / stepMs }, (_, index) => fromMs + index * stepMs);
  const burst = every(0, 5_000, 500);

  it.each([
    [undefined, [...burst, 15_000, 25_000, 35_000, ...every(35_100, 40_000, 100)]],
    ['did not open', every(0, 40_000, 500)],
    ['opened after 4 calls', [...every(0, 2_000, 500), 15_000, ...every(35_000, 40_000, 100)]],
    ['never let a trial through', [...burst, ...every(35_000, 40_000, 100)]],
    ['let more than one call through at a trial', [...burst, 15_000, 15_100, ...every(35_000, 40_000, 100)]],
    ['did not close', [...burst, 15_000, 25_000, 35_000, 45_000]],
  ])('says %s', (fault, times) => {
    expect(faultOfBreaker(times, 30_000)).toBe(fault);
  });
});
