import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import type { Reach } from '../../src/reach.js';
import { standInReach } from '../support/stand-in-reach.js';
import { tuning } from '../support/stand-in-tuning.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { weightsNamed } from '../support/weights.js';
import { captured } from './captured.js';

async function servedBy(changes: Partial<Reach> = {}): Promise<string> {
  const reach = { ...standInReach(), ...changes };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  return door.address;
}

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(await temporaryFolder(), name);
  await writeFile(file, text);
  return file;
}

const weights = weightsNamed('tuned-2');
const weightsFile = () => fileOf('tuned.json', JSON.stringify(weights));

test('tune apply sends the file as it is, with its note and what it builds on', async () => {
  const applied: unknown[] = [];
  const url = await servedBy({
    async applyWeights(...given) {
      applied.push(given);
      return tuning;
    },
  });
  const options = ['--note', 'after the fair', '--based-on', '1'];
  const { code, out } = await captured(['tune', 'apply', await weightsFile(), ...options, '--url', url]);
  expect([code, out]).toEqual([0, 'number 2 is in force: tuned-2\n']);
  expect(applied).toEqual([[weights, { note: 'after the fair', basedOn: 1 }]]);
  const plain = await captured(['tune', 'apply', await weightsFile(), '--json'], { env: { REACH_URL: url } });
  expect(JSON.parse(plain.out)).toMatchObject({
    current: { weights_version: 'tuned-2', applied_at: '2026-01-02T03:04:05.678Z' },
  });
  expect(applied[1]).toEqual([weights, {}]);
});

test('tune apply says what is wrong with a file of another format, and with one that is none', async () => {
  const url = await servedBy();
  const another = await fileOf('tuned.json', JSON.stringify({ ...weights, format: 2 }));
  const refused = await captured(['tune', 'apply', another, '--url', url]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/\/weights\/format: expected .*1/)]);
  const none = await fileOf('tuned.json', '{\n "format": ');
  const unread = await captured(['tune', 'apply', none, '--url', url]);
  expect([unread.code, unread.err]).toEqual([1, expect.stringMatching(/tuned\.json:2: not JSON/)]);
  const lost = await captured(['tune', 'apply', 'lost.json', '--url', url]);
  expect([lost.code, lost.err]).toEqual([1, expect.stringContaining('lost.json:1: there is no such file')]);
});

test('tune history shows what is in force, what was, and what answers in the shadow', async () => {
  const { current } = tuning;
  const tuned = { at: '2026-01-02T03:04:05.678Z', labels: 240, precision: 0.9 };
  const history = [
    { ...current, number: 3, weightsVersion: 'tuned-3', rolledBackAt: '2026-01-03T03:04:05.678Z', tuned },
    { ...current, note: 'after \u001b[31m the fair' },
    { ...current, number: 1, weightsVersion: 'tuned-1' },
  ];
  const shadow = { weightsVersion: 'tuned-4', since: '2026-01-02T03:04:05.678Z' };
  const url = await servedBy({ tuning: async () => ({ current, history, shadow }) });
  const { code, out } = await captured(['tune', 'history', '--url', url]);
  const [heading, third, second, first, beside] = out.split('\n');
  expect([code, heading]).toEqual([
    0,
    expect.stringMatching(/^number +weights +state +applied +tuned on +note$/),
  ]);
  expect(third).toMatch(/^ +3 +tuned-3 +rolled back 2026-01-0\d .* +2026-.* +240 labels$/);
  expect(second).toMatch(/^ +2 +tuned-2 +in force +2026-.* +- +after \\u001b\[31m the fair$/);
  expect(first).toMatch(/^ +1 +tuned-1 +- +2026-/);
  expect(beside).toMatch(/^in the shadow: tuned-4, since 2026-/);
});

test('tune history shows the weights of the configuration where they are in force', async () => {
  const zero = { ...tuning.current, number: 0, weightsVersion: 'own', appliedAt: null };
  const url = await servedBy({ tuning: async () => ({ current: zero, history: [], shadow: null }) });
  const { out } = await captured(['tune', 'history', '--url', url]);
  expect(out.split('\n')[1]).toMatch(/^ +0 +own +in force +by the configuration +-$/);
});

test('tune rollback says what is in force again', async () => {
  const asked: unknown[] = [];
  const url = await servedBy({
    async rollBackWeights(options) {
      asked.push(options);
      return { ...tuning, current: { ...tuning.current, number: 1, weightsVersion: 'tuned-1' } };
    },
  });
  const { code, out } = await captured(['tune', 'rollback', '--based-on', '2', '--url', url]);
  expect([code, out, asked]).toEqual([0, 'number 1 is in force: tuned-1\n', [{ basedOn: 2 }]]);
});

test('tune shadow sets the weights of a file, and takes them away', async () => {
  const set: unknown[] = [];
  const url = await servedBy({
    async shadowWeights(given) {
      set.push(given);
      const shadow = { weightsVersion: 'tuned-2', since: '2026-01-02T03:04:05.678Z' };
      return { ...tuning, shadow: given === null ? null : shadow };
    },
  });
  const on = await captured(['tune', 'shadow', await weightsFile(), '--url', url]);
  expect([on.code, on.out]).toEqual([0, 'in the shadow: tuned-2\n']);
  const off = await captured(['tune', 'shadow', '--off', '--url', url]);
  expect([off.code, off.out]).toEqual([0, 'in the shadow: nothing\n']);
  expect(set).toEqual([weights, null]);
  expect((await captured(['tune', 'shadow', '--url', url])).code).toBe(2);
  expect((await captured(['tune', 'shadow', await weightsFile(), '--off', '--url', url])).code).toBe(2);
  expect(set).toHaveLength(2);
});
