import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtEntry } from '../../src/built-entry.js';
import { ModelClient, type ModelClientOptions } from '../../src/embedding/model-client.js';
import { openModelFolder } from '../../src/embedding/model-folder.js';
import { HandClock } from '../support/hand-clock.js';
import { MODELS_FOLDER } from '../support/shared-embedder.js';
import { bits } from './bits.js';
import { modelCopy, SMALL_MODEL } from './model-copy.js';

const run = promisify(execFile);
const TEXT = 'turn this csv into json';

async function startClient(folder = SMALL_MODEL, options: ModelClientOptions = {}): Promise<ModelClient> {
  const client = new ModelClient(await openModelFolder(folder, MODELS_FOLDER), options);
  onTestFinished(() => client.close());
  return client;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the start', () => {
  test('is told from being ready, and texts may be given before it is over', async () => {
    const client = await startClient();
    expect(client.status()).toMatchObject({ state: 'starting', restarts: 0, pending: 0 });
    const vectors = client.embed([TEXT], 'query');
    expect(client.status().pending).toBe(1);
    await client.ready;
    expect(client.status().state).toBe('ready');
    expect(await vectors).toHaveLength(1);
    expect(await client.embed([], 'query')).toEqual([]);
  });

  test('is refused with the reason where the weights cannot be loaded', async () => {
    const broken = Buffer.from('these are no weights');
    const folder = await modelCopy((document) => {
      document.files['onnx/model_quantized.onnx'] = createHash('sha256').update(broken).digest('hex');
    });
    await rm(join(folder, 'onnx/model_quantized.onnx'));
    await writeFile(join(folder, 'onnx/model_quantized.onnx'), broken);
    const client = await startClient(folder);
    const early = expect(client.embed([TEXT], 'query')).rejects.toMatchObject({ code: 'MODEL_INVALID' });
    await expect(client.ready).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(/did not start: .*(?:protobuf|onnx)/i),
    });
    await early;
    expect(client.status().state).toBe('closed');
    await expect(client.embed([TEXT], 'query')).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  test('is refused where the vectors are of another dimension than reach.json says', async () => {
    const client = await startClient(await modelCopy((document) => Object.assign(document, { dim: 385 })));
    await expect(client.ready).rejects.toMatchObject({
      message: expect.stringMatching(/384 numbers, not of 385/),
    });
  });
});

describe('a process that dies', () => {
  test('before it is ready again is started anew, each time after a longer wait', async () => {
    const clock = new HandClock();
    const ends: string[] = [];
    const client = await startClient(SMALL_MODEL, { clock, onInterruption: (detail) => ends.push(detail) });
    await client.ready;
    const state = () => client.status();
    process.kill(client.pid ?? 0, 'SIGKILL');
    await expect.poll(state).toMatchObject({ state: 'restarting', restarts: 1 });
    const waiting = client.embed([TEXT], 'query');
    for (const delayMs of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
      process.kill(client.pid ?? 0, 'SIGKILL');
      await expect.poll(() => clock.delays).toEqual([delayMs]);
      expect(state()).toMatchObject({ state: 'restarting', pending: 1 });
      clock.pass(delayMs);
    }
    expect(await waiting).toHaveLength(1);
    expect(state()).toMatchObject({ state: 'ready', restarts: 9, pending: 0 });
    expect(ends).toHaveLength(9);
    expect(ends[0]).toContain('SIGKILL');
  });

  test('takes along what it held; what waited is answered by the next one', async () => {
    const client = await startClient();
    await client.ready;
    // More texts than the process is ever given at once.
    const calls = Array.from({ length: 80 }, (_, index) => client.embed([`${TEXT} ${index}`], 'query'));
    process.kill(client.pid ?? 0, 'SIGKILL');
    const outcomes = await Promise.allSettled(calls);
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThanOrEqual(32);
    for (const { reason } of lost)
      expect(reason).toMatchObject({ code: 'EMBEDDING_INTERRUPTED', retryable: true });
  });

  test('also when it only hangs: it is ended and replaced', async () => {
    const clock = new HandClock();
    const client = await startClient(SMALL_MODEL, { clock });
    await client.ready;
    expect(clock.delays).toEqual([]);
    process.kill(client.pid ?? 0, 'SIGSTOP');
    const hanging = expect(client.embed([TEXT], 'query')).rejects.toMatchObject({
      code: 'EMBEDDING_INTERRUPTED',
      message: expect.stringMatching(/no sign of life for 60 s/),
    });
    expect(clock.delays).toEqual([60_000 + 5 * TEXT.length]);
    clock.pass(60_000 + 5 * TEXT.length);
    await hanging;
    expect(await client.embed([TEXT], 'query')).toHaveLength(1);
  });

  test('is not ended while it shows that it lives, however long ago it was given the first text', async () => {
    const clock = new HandClock();
    const client = await startClient(SMALL_MODEL, { clock });
    await client.ready;
    const { pid } = client;
    await client.embed([TEXT], 'query');
    const limitMs = 60_000 + 5 * TEXT.length;
    expect(clock.delays).toEqual([limitMs]);
    clock.pass(40_000);
    process.kill(pid ?? 0, 'SIGSTOP');
    const late = client.embed([TEXT], 'query');
    clock.pass(limitMs - 40_000);
    expect(client.pid).toBe(pid);
    // It was looked at when the first text was due; the second has all of its time.
    expect(clock.delays).toEqual([40_000]);
    process.kill(pid ?? 0, 'SIGCONT');
    expect(await late).toHaveLength(1);
    clock.pass(40_000);
    expect([client.pid, clock.delays]).toEqual([pid, []]);
  });
});

describe('waiting', () => {
  test('urgent texts go before bulk ones', async () => {
    const client = await startClient();
    await client.ready;
    let bulkDone = false;
    const bulk = client
      .embed(
        Array.from({ length: 600 }, (_, index) => `${TEXT} ${index}`),
        'passage',
        { bulk: true },
      )
      .then(() => {
        bulkDone = true;
      });
    for (let index = 0; index < 5; index += 1) {
      await client.embed([`${TEXT} now ${index}`], 'query');
      expect(bulkDone).toBe(false);
    }
    await bulk;
  });

  test('a long text does not hold up a short one', async () => {
    const client = await startClient();
    await client.ready;
    const order: string[] = [];
    const long = client.embed(['report of the week '.repeat(4_000)], 'query').then(() => order.push('long'));
    const short = client.embed([TEXT], 'query').then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });

  test('is bounded, and nothing is lost by a refusal', async () => {
    const client = await startClient();
    const many = Array.from({ length: 1_000 }, (_, index) => `${TEXT} ${index}`);
    const accepted = client.embed(many, 'query');
    await expect(client.embed([TEXT], 'query')).rejects.toMatchObject({
      code: 'OVERLOADED',
      retryable: true,
    });
    expect(client.status().pending).toBe(1_000);
    expect(await accepted).toHaveLength(1_000);
    expect(await client.embed([TEXT], 'query')).toHaveLength(1);
  });

  test('ends when the caller leaves, and gives the place back', async () => {
    const client = await startClient();
    const leaving = new AbortController();
    const left = client.embed(['a', 'b'], 'query', { signal: leaving.signal });
    const stays = client.embed([TEXT], 'query');
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(client.status().pending).toBe(1);
    expect(await stays).toHaveLength(1);
    await expect(client.embed([TEXT], 'query', { signal: leaving.signal })).rejects.toThrow('gone');
  });
});

describe('the end', () => {
  test('closes once, ends the process, and fails what waits', async () => {
    const client = await startClient();
    await client.ready;
    const pid = client.pid ?? 0;
    const pending = Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => client.embed([`${TEXT} ${index}`], 'query')),
    );
    const closing = client.close();
    expect(client.close()).toBe(closing);
    await closing;
    expect(isAlive(pid)).toBe(false);
    for (const outcome of await pending) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'CLOSED' } });
    }
    expect(client.status()).toMatchObject({ state: 'closed', pending: 0 });
    await expect(client.embed([TEXT], 'query')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('during the start is no failure of the model', async () => {
    const client = await startClient();
    const refused = expect(client.ready).rejects.toMatchObject({ code: 'CLOSED' });
    await client.close();
    await refused;
  });

  test('of the service, even a sudden one, leaves no process behind', async () => {
    const program = `
      const { openModelFolder } = await import(${JSON.stringify(builtEntry('embedding/model-folder.js'))});
      const { ModelClient } = await import(${JSON.stringify(builtEntry('embedding/model-client.js'))});
      const client = new ModelClient(await openModelFolder(${JSON.stringify(SMALL_MODEL)}, ${JSON.stringify(MODELS_FOLDER)}));
      await client.ready;
      process.stdout.write(String(client.pid), () => process.kill(process.pid, 'SIGKILL'));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]).catch(
      (killed: { stdout: string }) => killed,
    );
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  });

  test("is the service's to say: signals to the whole group do not end the process", async () => {
    const client = await startClient();
    await client.ready;
    const [before] = await client.embed([TEXT], 'query');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(client.pid ?? 0, signal);
    const [after] = await client.embed([TEXT], 'query');
    expect(bits(after ?? new Float32Array())).toBe(bits(before ?? new Float32Array()));
    expect(client.status()).toMatchObject({ state: 'ready', restarts: 0 });
  });
});
