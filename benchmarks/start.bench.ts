import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig } from '../src/config.js';
import { percentile } from '../src/evaluation/percentile.js';
import { loadBareModel } from './support/bare-model.js';
import type { Bench } from './support/figure.js';
import { freshTexts } from './support/fresh-texts.js';
import { installedSizeMb } from './support/installed-size.js';
import { sendJson } from './support/send-json.js';
import { startService } from './support/service-process.js';
import { templatedManifests } from './support/templated-manifests.js';
import { withTemporaryFolder } from './support/temporary-folder.js';

const STARTS = 5;
const CAPABILITIES = 500;
const ROUTES = 100;

async function demoStartMs(data: string): Promise<number> {
  const service = await startService('demo', { REACH_DATA: data });
  await service.stop();
  return service.startMs;
}

/** One start over an empty store and the next one over what it left, again and again. */
async function startTimes(): Promise<{ coldMs: number; warmMs: number }> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    await withTemporaryFolder(async (data) => {
      cold.push(await demoStartMs(data));
      warm.push(await demoStartMs(data));
    });
  }
  const median = (times: number[]) =>
    percentile(
      times.sort((a, b) => a - b),
      0.5,
    );
  return { coldMs: median(cold), warmMs: median(warm) };
}

/** The least that a start can take: loading the model. */
async function bareLoadMs(): Promise<number> {
  const { model, modelsFolder } = resolveConfig();
  const startedAt = performance.now();
  await loadBareModel(modelsFolder, model);
  return performance.now() - startedAt;
}

/** Memory of the service and its embedding processes when it holds a catalogue and has answered for a while. */
async function servingMemoryMb(englishModel: boolean): Promise<number> {
  return withTemporaryFolder(async (data) => {
    const manifests = join(data, 'manifests');
    mkdirSync(manifests);
    const service = await startService('serve', {
      REACH_DATA: data,
      REACH_MANIFESTS: manifests,
      REACH_ENGLISH_MODEL: String(englishModel),
    });
    try {
      for (const manifest of templatedManifests(CAPABILITIES)) {
        await sendJson('PUT', `${service.url}/api/v1/agents/${manifest.agent_name}/manifest`, manifest);
      }
      for (const intent of freshTexts(ROUTES))
        await sendJson('POST', `${service.url}/api/v1/route`, { intent });
      return service.memoryMb();
    } finally {
      await service.stop();
    }
  });
}

export const bench: Bench = {
  name: 'start',
  title: 'Start with and without a store, size of the installation, memory of the running service.',
  async run() {
    const { coldMs, warmMs } = await startTimes();
    const ceiling = await bareLoadMs();
    return [
      { name: 'cold start, p50', value: coldMs, unit: 'ms', better: 'lower', goal: null, ceiling },
      { name: 'warm start, p50', value: warmMs, unit: 'ms', better: 'lower', goal: 4_000, ceiling },
      { name: 'node_modules', value: await installedSizeMb(), unit: 'MB', better: 'lower', goal: 360 },
      {
        name: `memory, ${CAPABILITIES} capabilities`,
        value: await servingMemoryMb(true),
        unit: 'MB',
        better: 'lower',
        goal: 850,
      },
      {
        name: `memory, ${CAPABILITIES} capabilities, without the English model`,
        value: await servingMemoryMb(false),
        unit: 'MB',
        better: 'lower',
        goal: 650,
      },
    ];
  },
};
