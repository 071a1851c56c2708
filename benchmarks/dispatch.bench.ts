import { randomUUID } from 'node:crypto';
import { percentile } from '../src/evaluation/percentile.js';
import { serve } from './support/built-app.js';
import { closedLoop } from './support/closed-loop.js';
import {
  type DispatchRun,
  dispatchWork,
  WIDE_OPEN,
  withCalledAgents,
  withReach,
} from './support/dispatch-run.js';
import type { Bench, Figure } from './support/figure.js';
import { HttpLoad } from './support/http-load.js';
import { interleave } from './support/interleave.js';
import { sendJson } from './support/send-json.js';
import { belowKnee, sweep } from './support/sweep-run.js';
import { withTemporaryFolder } from './support/temporary-folder.js';
import type { Work } from './support/work-agent-process.js';
import { INTENTS, workManifest } from './support/work-manifests.js';

const CALLERS = 64;
const INSTANCES = 4;
const BLOCK = 2_000;
const WARM_UP = 3;
const ROUNDS = 31;
const ONE_BY_ONE = 3_000;
const AT_ONCE: Work = { work_ms: 0, way: 'plain' };

const LEVELS = [64, 128, 250, 500, 1_000, 2_000, 5_000];
/** Each has 20 connections: enough for all calls of the last level at once. */
const SWEEP_INSTANCES = 250;
const KNEE_SHARE = 0.8;

const lanes = Object.entries(WIDE_OPEN).map(([lane, { slots, queue }]) => `${lane}=${slots}/${queue}`);

const median = (values: readonly number[]) =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

/** The rates of two ways of calling, block by block in turn. */
async function ratesOf(sides: { bare: () => Promise<number>; measured: () => Promise<number> }) {
  const rates = { bare: [] as number[], measured: [] as number[] };
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    rates.bare.push(await sides.bare());
    rates.measured.push(await sides.measured());
  }
  return { bare: median(rates.bare.slice(WARM_UP)), measured: median(rates.measured.slice(WARM_UP)) };
}

const blockRate = async (call: () => Promise<unknown>) => (await closedLoop(CALLERS, BLOCK, call)).rate;

function shareFigures(
  name: string,
  rates: { bare: number; measured: number },
  goal: number | null,
): Figure[] {
  const higher = { better: 'higher' } as const;
  return [
    {
      name: `${name}: share of the bare rate`,
      value: rates.measured / rates.bare,
      unit: 'x',
      goal,
      ceiling: 1,
      ...higher,
    },
    { name: `${name}: rate`, value: rates.measured, unit: '/s', goal: null, ceiling: rates.bare, ...higher },
  ];
}

async function inProcess({ addresses, bare }: DispatchRun): Promise<Figure[]> {
  const bareCall = () => bare.call(AT_ONCE);
  return withReach(addresses, {}, async (reach) => {
    const dispatch = () => dispatchWork(reach, AT_ONCE);
    const rates = await ratesOf({ bare: () => blockRate(bareCall), measured: () => blockRate(dispatch) });
    const single = await interleave({ bare: bareCall, measured: dispatch }, ONE_BY_ONE);
    const ms = { unit: 'ms', better: 'lower' } as const;
    const added = single.measured.p50 - single.bare.p50;
    return [
      ...shareFigures('in process', rates, 0.45),
      { name: 'one at a time: added at p50', value: added, goal: 1, ...ms },
      { name: 'one at a time: p99', value: single.measured.p99, goal: null, ceiling: single.bare.p99, ...ms },
    ];
  });
}

async function keyed({ addresses, bare }: DispatchRun): Promise<Figure[]> {
  return withTemporaryFolder((data) =>
    withReach(addresses, { data }, async (reach) => {
      const rates = await ratesOf({
        bare: () => blockRate(() => bare.call(AT_ONCE)),
        measured: () => blockRate(() => dispatchWork(reach, AT_ONCE, randomUUID())),
      });
      return shareFigures('in process, each with a key and kept on disk', rates, null);
    }),
  );
}

async function overHttp({ addresses, bare }: DispatchRun): Promise<Figure[]> {
  const service = await serve({
    lanes: WIDE_OPEN,
    englishModel: false,
    manifests: null,
    data: null,
    port: 0,
  });
  const load = new HttpLoad();
  try {
    const url = `${service.address}/api/v1/agents/archive/manifest`;
    await sendJson('PUT', url, workManifest('archive', addresses));
    const order = {
      port: Number(new URL(service.address).port),
      path: '/api/v1/dispatch',
      bodies: [JSON.stringify({ intent: INTENTS.read, payload: AT_ONCE })],
      connections: CALLERS,
      requests: BLOCK,
    };
    const rates = await ratesOf({
      bare: () => blockRate(() => bare.call(AT_ONCE)),
      measured: () => load.rate(order),
    });
    return shareFigures('over HTTP', rates, null);
  } finally {
    await load.close();
    await service.close();
  }
}

async function sweepFigures(run: DispatchRun): Promise<Figure[]> {
  const { levels, calls, failures, memoryRatio } = await sweep(run, LEVELS);
  const ms = { unit: 'ms', better: 'lower' } as const;
  const below = belowKnee(levels, KNEE_SHARE);
  const added = Math.max(...below.map(({ p99, bareP99 }) => p99 - bareP99));
  return [
    ...levels.flatMap(({ inFlight, rate, bareRate, p99, bareP99 }): Figure[] => [
      {
        name: `${inFlight} in flight: rate`,
        value: rate,
        unit: '/s',
        better: 'higher',
        goal: null,
        ceiling: bareRate,
      },
      { name: `${inFlight} in flight: p99`, value: p99, goal: null, ceiling: bareP99, ...ms },
    ]),
    {
      name: `added at p99, up to ${below.at(-1)?.inFlight} in flight (${KNEE_SHARE * 100} % of the most)`,
      value: added,
      goal: 50,
      ...ms,
    },
    {
      name: `not completed, of ${calls} dispatches up to ${LEVELS.at(-1)} in flight`,
      value: failures.length,
      unit: '',
      better: 'lower',
      goal: 0,
    },
    {
      name: `resident memory with ${LEVELS.at(-1)} in flight, end / beginning`,
      value: memoryRatio,
      unit: 'x',
      better: 'lower',
      goal: 1.1,
    },
  ];
}

export const bench: Bench = {
  name: 'dispatch',
  title: `dispatch() of an intent whose candidates are known, ${CALLERS} at once, lanes ${lanes.join()} (slots/queue), against bare undici pools that call the same ${INSTANCES} instances; then ever more at once to ${SWEEP_INSTANCES} instances that take 50 to 200 ms.`,
  run: async () => [
    ...(await withCalledAgents(INSTANCES, async (run) => [
      ...(await inProcess(run)),
      ...(await keyed(run)),
      ...(await overHttp(run)),
    ])),
    ...(await withCalledAgents(SWEEP_INSTANCES, sweepFigures)),
  ],
};
