import { percentile } from '../../src/evaluation/percentile.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { closedLoop } from './closed-loop.js';
import { type DispatchRun, dispatchWork, withReach } from './dispatch-run.js';
import type { Work } from './work-agent-process.js';

/** Agents take between so many ms, evenly. */
const WORK_MS = { least: 50, most: 200 } as const;
/** Each of the calls under way at once is followed by about so many, but not more than this in all. */
const CALLS_EACH = 40;
const MOST_CALLS = 30_000;
const ROUNDS = 2;
/** Long enough for the heap to have found its size well before the end. */
const MEMORY_ROUNDS = 4;
const MEMORY_EVERY_MS = 250;

/** What was seen with so many calls under way at once. */
export interface Level {
  readonly inFlight: number;
  /** Calls a second, the median of the rounds. */
  readonly rate: number;
  readonly bareRate: number;
  readonly p99: number;
  readonly bareP99: number;
}

export interface Sweep {
  readonly levels: readonly Level[];
  readonly calls: number;
  /** What did not complete, with why. */
  readonly failures: readonly string[];
  /** Resident memory at the end of the last level, by that after its first fifth. */
  readonly memoryRatio: number;
}

/** Dispatches and bare calls in turn, with ever more of them under way at once. */
export function sweep({ addresses, bare }: DispatchRun, levels: readonly number[]): Promise<Sweep> {
  return withReach(addresses, {}, async (reach) => {
    const random = seededRandom(1);
    const failures: string[] = [];
    let calls = 0;
    const work = (): Work => ({
      work_ms: Math.round(WORK_MS.least + random() * (WORK_MS.most - WORK_MS.least)),
      way: 'plain',
    });
    const dispatched = async () => {
      calls += 1;
      await dispatchWork(reach, work()).catch((error: unknown) => failures.push(String(error)));
    };
    const measured = (inFlight: number, count = callsAt(inFlight)) =>
      closedLoop(inFlight, count, dispatched, WORK_MS.most);
    const found: Level[] = [];
    for (const inFlight of levels) {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const bareCall = () => bare.call(work());
        const bareBlock = await closedLoop(inFlight, callsAt(inFlight), bareCall, WORK_MS.most);
        rounds.push({ bare: bareBlock, measured: await measured(inFlight) });
      }
      found.push({
        inFlight,
        rate: median(rounds.map((round) => round.measured.rate)),
        bareRate: median(rounds.map((round) => round.bare.rate)),
        p99: p99(rounds.flatMap((round) => round.measured.times)),
        bareP99: p99(rounds.flatMap((round) => round.bare.times)),
      });
    }
    const most = levels.at(-1) ?? 1;
    const memoryRatio = await memoryGrowth(() => measured(most, MEMORY_ROUNDS * callsAt(most)));
    return { levels: found, calls, failures, memoryRatio };
  });
}

/** Levels at which so many calls a second are answered as are at most this share of what is reached at all. */
export function belowKnee(levels: readonly Level[], share: number): readonly Level[] {
  const knee = Math.max(...levels.map(({ rate }) => rate));
  return levels.filter(({ rate }) => rate <= share * knee);
}

const callsAt = (inFlight: number) => Math.min(inFlight * CALLS_EACH, MOST_CALLS);

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

const median = (values: readonly number[]) => percentile(sorted(values), 0.5);
const p99 = (values: readonly number[]) => percentile(sorted(values), 0.99);

/** Resident memory in the last fifth of some work, by that in its second. */
async function memoryGrowth(work: () => Promise<unknown>): Promise<number> {
  const looks: number[] = [];
  const timer = setInterval(() => looks.push(process.memoryUsage.rss()), MEMORY_EVERY_MS);
  await work();
  clearInterval(timer);
  const fifth = Math.max(1, Math.floor(looks.length / 5));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean(looks.slice(-fifth)) / mean(looks.slice(fifth, 2 * fifth));
}
