import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ModelClient } from '../../src/embedding/model-client.js';
import { openModelFolder } from '../../src/embedding/model-folder.js';
import { ReachError } from '../../src/errors.js';
import { MODELS_FOLDER } from '../support/shared-embedder.js';
import { bits } from './bits.js';

const KILLS = 50;
const CALLERS = 8;
const TEXTS = Array.from(
  { length: 40 },
  (_, index) => `where is my order ${index} ${'please '.repeat(index)}`,
);

test(`${KILLS} kills under load cost only what the process held, and nobody has to bring it back`, async () => {
  // The model that loads fastest: it is the supervision that is tried here.
  const client = new ModelClient(await openModelFolder('bge-small-en-v1.5', MODELS_FOLDER));
  const right = (await client.embed(TEXTS, 'query')).map(bits);
  const tally = { answered: 0, interrupted: 0, others: [] as unknown[] };
  let over = false;

  async function ask(caller: number): Promise<void> {
    for (let round = caller; !over; round += 1) {
      const index = round % TEXTS.length;
      try {
        const [vector] = await client.embed([TEXTS[index] ?? ''], 'query');
        if (vector === undefined || bits(vector) !== right[index])
          tally.others.push(`wrong bits for ${index}`);
        else tally.answered += 1;
      } catch (error) {
        if (error instanceof ReachError && error.code === 'EMBEDDING_INTERRUPTED') tally.interrupted += 1;
        else tally.others.push(error);
      }
    }
  }

  const callers = Array.from({ length: CALLERS }, (_, caller) => ask(caller));
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await expect.poll(() => client.status().state, { timeout: 60_000, interval: 5 }).toBe('ready');
    // Not at the same point of the work each time.
    await sleep((kill * 7) % 40);
    const interruptedBefore = tally.interrupted;
    process.kill(client.pid ?? 0, 'SIGKILL');
    await expect.poll(() => client.status().restarts, { timeout: 60_000, interval: 5 }).toBe(kill);
    // A caller has one text at a time with the model, and waits for the next process with the one after.
    expect(tally.interrupted - interruptedBefore).toBeLessThanOrEqual(CALLERS);
  }
  await expect.poll(() => client.status().state, { timeout: 60_000 }).toBe('ready');
  const answeredBefore = tally.answered;
  await expect.poll(() => tally.answered, { timeout: 60_000 }).toBeGreaterThan(answeredBefore + CALLERS);
  over = true;
  await Promise.all(callers);
  expect(tally.others).toEqual([]);
  expect(tally.interrupted).toBeGreaterThan(0);
  expect(client.status()).toMatchObject({ state: 'ready', restarts: KILLS, pending: 0 });
  await client.close();
}, 600_000);
