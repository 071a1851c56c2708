import { resolveConfig } from '../src/config.js';
import { atOnce } from './support/at-once.js';
import { loadBareModel } from './support/bare-model.js';
import { createReach } from './support/built-app.js';
import type { Bench } from './support/figure.js';
import { freshTexts } from './support/fresh-texts.js';
import { intentStream } from './support/intent-stream.js';
import { templatedManifests } from './support/templated-manifests.js';

const CAPABILITIES = 500;
const INTENTS = 10_000;
const NEW_PERCENT = 3;
const CALLERS = 16;
/** Intents whose bare embedding and whose routing take turns. */
const BLOCK = 500;
const WARM_UP = 200;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

export const bench: Bench = {
  name: 'route-throughput',
  title: `route() for a stream of ${INTENTS} intents, ${NEW_PERCENT} % of them new, ${CALLERS} callers at once, ${CAPABILITIES} capabilities, against nothing but the bare embedding of what is new.`,
  async run() {
    const { model, modelsFolder } = resolveConfig();
    const bareModel = await loadBareModel(modelsFolder, model);
    const reach = await createReach();
    try {
      for (const manifest of templatedManifests(CAPABILITIES)) await reach.publish(manifest);
      const intents = intentStream(INTENTS, NEW_PERCENT);
      for (const text of freshTexts(WARM_UP)) {
        await reach.route(`warm up: ${text}`);
        await bareModel([`warm up: ${text}`], 'query');
      }
      const blocks = Array.from({ length: INTENTS / BLOCK }, (_, index) =>
        intents.slice(index * BLOCK, (index + 1) * BLOCK),
      );
      const seen = new Set<string>();
      const measured: number[] = [];
      const bare: number[] = [];
      for (const block of blocks) {
        const fresh = [...new Set(block)].filter((intent) => !seen.has(intent));
        for (const intent of fresh) seen.add(intent);
        measured.push(await seconds(() => atOnce(CALLERS, block, (intent) => reach.route(intent))));
        bare.push(await seconds(() => atOnce(1, fresh, (intent) => bareModel([intent], 'query'))));
      }
      const total = (times: readonly number[]) => times.reduce((sum, time) => sum + time, 0);
      const perSecond = { unit: '/s', better: 'higher', goal: null } as const;
      return [
        { ...perSecond, name: 'all', value: INTENTS / total(measured), ceiling: INTENTS / total(bare) },
        {
          ...perSecond,
          name: `slowest ${BLOCK}`,
          value: BLOCK / Math.max(...measured),
          goal: 500,
          ceiling: BLOCK / Math.max(...bare),
        },
      ];
    } finally {
      await reach.close();
    }
  },
};
