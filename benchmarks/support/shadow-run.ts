import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { createReach } from './built-app.js';
import { freshTexts } from './fresh-texts.js';
import { templatedManifests } from './templated-manifests.js';

export interface ShadowRunOptions {
  readonly capabilities: number;
  /** Of routes without a shadow and as many with one, in turn. */
  readonly blocks: number;
  readonly routesInBlock: number;
  readonly routesPerSecond: number;
  /** Share of intents that nobody has asked before. */
  readonly newShare: number;
}

/** Of all routes of one side in ms, each from when it was due: what kept it from beginning counts too. */
export interface ShadowRun {
  readonly alone: readonly number[];
  readonly shadowed: readonly number[];
  /** Intents that were answered in the shadow, and those that were left out. */
  readonly answered: number;
  readonly leftOut: number;
}

const KNOWN = 50;
/** By then whatever waits in the shadow has been answered. */
const REST_MS = 3_000;

/** Routes at a rate, whatever becomes of those before, as callers do who know nothing of each other. */
async function paced(
  intents: readonly string[],
  perSecond: number,
  ask: (intent: string) => Promise<unknown>,
) {
  const random = seededRandom(intents.length);
  let dueAt = performance.now();
  const running = intents.map((intent) => {
    dueAt += (-Math.log(1 - random()) * 1_000) / perSecond;
    const due = dueAt;
    return sleep(due - performance.now()).then(async () => {
      await ask(intent);
      return performance.now() - due;
    });
  });
  return Promise.all(running);
}

/** The same service with weights in the shadow and without, block by block in turn. */
export async function shadowRun(options: ShadowRunOptions): Promise<ShadowRun> {
  const { capabilities, blocks, routesInBlock, routesPerSecond, newShare } = options;
  const reach = await createReach({ data: null, logLevel: 'error' });
  try {
    for (const manifest of templatedManifests(capabilities)) await reach.publish(manifest);
    const weights = { ...reach.weights(), version: 'shadow' };
    const fresh = freshTexts(KNOWN + Math.ceil(2 * (blocks + 1) * routesInBlock * newShare));
    const known = fresh.splice(0, KNOWN);
    const random = seededRandom(2);
    const nextIntent = () =>
      (random() < newShare ? fresh.pop() : known[Math.floor(random() * KNOWN)]) ?? 'a report';
    const block = () =>
      paced(Array.from({ length: routesInBlock }, nextIntent), routesPerSecond, (it) => reach.route(it));
    let [answered, leftOut] = [0, 0];
    const sides = {
      async alone() {
        await reach.shadowWeights(null);
        return block();
      },
      async shadowed() {
        await reach.shadowWeights(weights);
        const times = await block();
        await sleep(REST_MS);
        const { shadow } = reach.health();
        answered += shadow.answered;
        leftOut += shadow.leftOut;
        return times;
      },
    };
    await sides.alone();
    await sides.shadowed();
    [answered, leftOut] = [0, 0];
    const times = { alone: [] as number[], shadowed: [] as number[] };
    for (let round = 0; round < blocks; round += 1) {
      const order = round % 2 === 0 ? (['alone', 'shadowed'] as const) : (['shadowed', 'alone'] as const);
      for (const side of order) times[side].push(...(await sides[side]()));
    }
    return { ...times, answered, leftOut };
  } finally {
    await reach.close();
  }
}
