import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createReach } from '../../src/app.js';
import { startHttp } from '../../src/http/server.js';
import type { EventBlock } from '../../src/wire/event-blocks.js';
import { heldBytes } from '../support/held-bytes.js';
import { openStream } from '../support/stream-reader.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const AGENTS = 10;
const DECISIONS = 10_000;
const QUEUE = 1_000;
const BATCH = 50;
/** What is collected by chance in between, as a factor. */
const SAME_LEVEL = 1.1;

function routeIdIn(block: EventBlock | undefined): string {
  if (block?.event !== 'decision') throw new Error(`no decision, but ${block?.event}`);
  return JSON.parse(block.data ?? '').route_id;
}

test('a reader that never reads while 10,000 decisions go by costs no memory, is told what it lost, and another one loses nothing', async () => {
  // In a file: in memory the records of the decisions would fill up meanwhile.
  const reach = await createReach({ logLevel: 'silent', data: await temporaryFolder() });
  onTestFinished(() => reach.close());
  for (let i = 0; i < AGENTS; i += 1) {
    await reach.publish({
      agent_name: `orders-${i}`,
      manifest_version: 1,
      capabilities: [{ id: 'track', name: `Track an order of warehouse ${i}` }],
    });
  }
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  const slow = await openStream(`${door.address}/api/v1/watch`);
  const fast = await openStream(`${door.address}/api/v1/watch`);

  const idAt: string[] = [];
  const decideMany = async (count: number) => {
    for (let made = 0; made < count; made += BATCH) {
      const requests = Array.from({ length: BATCH }, (_, i) => ({
        intent: `track my order in warehouse ${i % AGENTS}`,
      }));
      const decisions = await Promise.all(requests.map((request) => reach.route(request)));
      const seen: string[] = [];
      while (seen.length < BATCH) seen.push(routeIdIn(await fast.next()));
      expect(new Set(seen)).toEqual(new Set(decisions.map(({ routeId }) => routeId)));
      idAt.push(...seen);
    }
  };
  // The first ones fill the queue, the buffers of the connection, and the records, which hold as many in memory.
  await decideMany(DECISIONS);
  const before = heldBytes();
  await decideMany(DECISIONS);
  expect(heldBytes()).toBeLessThan(SAME_LEVEL * before);

  let lost = 0;
  const read: string[] = [];
  while (read.length + lost < idAt.length) {
    const block = await slow.next();
    if (block?.event === 'lost') lost += JSON.parse(block.data ?? '').count;
    else read.push(routeIdIn(block));
  }
  expect(read.length).toBeGreaterThanOrEqual(QUEUE);
  expect(lost).toBeGreaterThan(DECISIONS / 2);
  // The newest, and in the order in which they were made.
  const told = new Set(read);
  expect(read).toEqual(idAt.filter((id) => told.has(id)));
  expect(read.slice(-QUEUE)).toEqual(idAt.slice(-QUEUE));
}, 240_000);
