import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HandClock } from '../support/hand-clock.js';
import {
  DIM,
  everything,
  exactOf,
  fill,
  openIndex,
  recall,
  settled,
  temporaryFolder,
  vectorsOf,
} from './vector-fixtures.js';

const none = new Float32Array(DIM);

/** Gives the running test a folder of its own for what is temporary. */
async function ownTemporaryFolder(): Promise<string> {
  const folder = await temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return folder;
}

describe('a build that fails', () => {
  /** The processes that this one has started to build an index. */
  async function builders(): Promise<number[]> {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
    return stdout
      .split('\n')
      .filter((line) => line.includes('hnsw-process.js') && line.includes(` ${process.pid} `))
      .map((line) => Number.parseInt(line, 10));
  }

  test('is told and tried again later; meanwhile all is found', async () => {
    const passing = await ownTemporaryFolder();
    const clock = new HandClock();
    const { index, reports } = openIndex({ clock });
    const { vectors, queries } = vectorsOf(5_000);
    const exact = exactOf(vectors);
    fill(index, vectors);
    const pids = await vi.waitUntil(
      async () => {
        const found = await builders();
        return found.length > 0 ? found : false;
      },
      { timeout: 20_000 },
    );
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await settled(index);
    expect(reports).toEqual([expect.stringContaining('it was ended by SIGKILL')]);
    expect(index.status().segmentVectors).toEqual([]);
    expect(recall(index, exact, queries, 5)).toBe(1);
    expect(clock.delays).toEqual([5_000]);
    clock.pass(5_000);
    await settled(index);
    expect(index.status()).toEqual({ building: false, exactVectors: 0, segmentVectors: [5_000] });
    expect(recall(index, exact, queries, 5)).toBeGreaterThanOrEqual(0.99);
    expect(await readdir(passing)).toEqual([]);
  });
});

test('closing ends a running build and leaves no file and no process behind', async () => {
  const passing = await ownTemporaryFolder();
  const { index, reports } = openIndex();
  fill(index, vectorsOf(6_000).vectors);
  await nextTurn();
  await index.close();
  expect(reports).toEqual([]);
  expect(await readdir(passing)).toEqual([]);
  expect(index.search(vectorsOf(6_000).queries[0] ?? none, 5, everything)).toHaveLength(5);
});
