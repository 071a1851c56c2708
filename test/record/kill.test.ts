import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openStores } from '../../src/storage/open-stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { EVERY_RECORD } from './records.js';

/** Rows are gathered for 200 ms; the rest is what a busy machine takes to write them. */
const LATEST_MS = 2_000;

test('kill -9 loses no decision but the last that were not written yet', { timeout: 120_000 }, async () => {
  const folder = await temporaryFolder();
  let written = 0;
  for (let kill = 0; kill < 4; kill++) {
    const decider = join(import.meta.dirname, 'decider.mjs');
    const child = spawn(process.execPath, [decider, folder, String(written)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
    });
    await once(child.stdout, 'data');
    await sleep(700 + 311 * kill);
    child.kill('SIGKILL');
    await once(child, 'close');
    const killedAt = Date.now();
    const made = printed.trim().split('\n').map(Number);

    const stores = await openStores({ store: null, data: folder });
    const rows = await stores.records.page('t', EVERY_RECORD);
    await stores.close();
    // None is missing in between, and what is missing at the end is young.
    expect(rows.map(({ routeId }) => Number(routeId.slice(3)))).toEqual(rows.map((_, index) => index));
    const oldEnough = made.filter((decidedAt) => killedAt - decidedAt > LATEST_MS).length;
    expect(rows.length).toBeGreaterThanOrEqual(written + oldEnough);
    expect(rows.length).toBeGreaterThan(written);
    written = rows.length;
  }
});
