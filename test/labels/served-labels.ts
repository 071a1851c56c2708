import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { labelCalls } from '../../src/facade/label-calls.js';
import { OpenCalls } from '../../src/facade/open-calls.js';
import { startHttp } from '../../src/http/server.js';
import { openLabels } from '../../src/labels/open-labels.js';
import { Lifecycle } from '../../src/lifecycle.js';
import type { Reach } from '../../src/reach.js';
import { openStores } from '../../src/storage/open-stores.js';
import { loadedRegistry, manifestOf } from '../registry/registry-fixture.js';
import { standInReach } from '../support/stand-in-reach.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The capabilities there: both have the same bare id. */
export const REPORTS = 'reports/summary';
export const SALES = 'sales/summary';

/** The calls of labels behind a real door, over a store in a file and a small catalogue. */
export async function servedLabels() {
  const lifecycle = new Lifecycle((part, error) => expect.unreachable(`${part}: ${error}`));
  const stores = await openStores({ store: null, data: await temporaryFolder() });
  lifecycle.add('store', () => stores.close());
  const { registry } = await loadedRegistry(stores.catalogue);
  await registry.publish(manifestOf('reports', 1), 'api');
  await registry.publish(manifestOf('sales', 1), 'api');
  const parts = { team: 't', clock: systemClock, lifecycle, report: () => {} };
  const recorder = { find: async () => undefined };
  const labels = openLabels({ ...parts, store: stores.labels, recorder });
  const calls = new OpenCalls(lifecycle, () => true);
  const agents: Reach['agents'] = () => ({
    catalogueVersion: 1,
    agents: [...registry.snapshot.agents.values()].map(({ manifest }) => ({
      ...manifest,
      capabilities: [...manifest.capabilities],
      source: 'api',
      instances: [],
    })),
  });
  const reach = { ...standInReach(), agents, ...labelCalls({ ...parts, registry, labels }, calls) };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await door.close();
    await lifecycle.close();
  });
  return { address: door.address, reach, registry, stores };
}
