import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { RulesFile } from '../../src/rules/rules-file.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const NO_AGENTS = { agents: new Map() };
const rule = (id: string) => `rules:\n  - id: ${id}\n    target: mail/send\n`;

let path: string;
let reports: string[];
let file: RulesFile;

async function followed(isRequired = false): Promise<RulesFile> {
  const started = new RulesFile(path, isRequired, (message) => reports.push(message));
  onTestFinished(() => started.close());
  await started.start();
  return started;
}

const ids = () => file.rules.map(({ id }) => id);
const status = () => file.status(NO_AGENTS);
/** Long enough for several looks at the file. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 1_500));

beforeEach(async () => {
  path = join(await temporaryFolder(), 'routes.yaml');
  reports = [];
});

describe('a followed file of rules', () => {
  test('counts when it is there, and comes, changes and goes while it is followed', async () => {
    file = await followed();
    expect(ids()).toEqual([]);
    expect(status()).toEqual({ state: 'ok', detail: `There is no file ${path}.` });
    await writeFile(path, rule('a'));
    await until(() => expect(ids()).toEqual(['a']));
    expect(status()).toEqual({
      state: 'ok',
      detail: `In force: 1 rule of ${path}. Rule a: target mail/send is not in the catalogue. The rule is passed over.`,
    });
    await writeFile(path, rule('b'));
    await until(() => expect(ids()).toEqual(['b']));
    expect(reports).toEqual([]);
    await rm(path);
    await until(() => expect(ids()).toEqual([]));
    expect(reports).toEqual([`The file of rules ${path} is gone, and its rules with it.`]);
  });

  test('names three names that are missing, and how many more', async () => {
    await writeFile(path, `rules: [${'abcde'.split('').map((id) => `{id: ${id}, target: x-${id}}`)}]`);
    file = await followed();
    expect(status().detail).toMatch(/x-a is not.*x-b is not.*x-c is not.*And 2 more\.$/);
  });

  test('leaves the rules before it in force while it is broken, and says where', async () => {
    await writeFile(path, rule('a'));
    file = await followed();
    await writeFile(path, `${rule('b')}    tresh: 1\n`);
    await until(() => expect(status().state).toBe('degraded'));
    expect(ids()).toEqual(['a']);
    const { detail } = status();
    expect(detail).toContain(`${path}:4: /rules/0/tresh: expected one of the known fields`);
    expect(detail).toMatch(/In force: 1 rule read before\.$/);
    expect(reports).toHaveLength(1);
    await quiet();
    expect(reports).toHaveLength(1);
    await writeFile(path, rule('c'));
    await until(() => expect(ids()).toEqual(['c']));
    expect(status().state).toBe('ok');
  });

  test('starts without rules where it is broken from the first, and says so', async () => {
    await writeFile(path, 'rules: 3\n');
    file = await followed(true);
    expect(ids()).toEqual([]);
    expect(status().state).toBe('degraded');
    expect(reports).toEqual([expect.stringContaining(`${path}:1: /rules: expected an array`)]);
  });

  test('is replaced by editors, whole, without a moment in which no rule counts', async () => {
    await writeFile(path, rule('r0'));
    file = await followed();
    const seen = new Set<string>();
    const look = setInterval(() => seen.add(ids().join()), 5);
    onTestFinished(() => clearInterval(look));
    for (let save = 1; save <= 3; save += 1) {
      await rename(path, `${path}~`);
      await writeFile(`${path}.new`, rule(`r${save}`));
      await rename(`${path}.new`, path);
      await until(() => expect(ids()).toEqual([`r${save}`]));
    }
    expect([...seen].filter((rules) => !/^r\d$/.test(rules))).toEqual([]);
    expect(reports).toEqual([]);
  });

  test('is not taken for broken while it is written piece by piece', async () => {
    await writeFile(path, rule('old'));
    file = await followed();
    const seen = new Set<string>();
    const look = setInterval(() => seen.add(`${ids().join()} ${status().state}`), 5);
    onTestFinished(() => clearInterval(look));
    const handle = await open(path, 'w');
    for (const piece of ['rules: [{id: one', ', target: m}, {id: two, tar', 'get: m}', ']\n']) {
      await handle.write(piece);
      await handle.sync();
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    await handle.close();
    await until(() => expect(ids()).toEqual(['one', 'two']));
    expect([...seen].filter((what) => what !== 'old ok' && what !== 'one,two ok')).toEqual([]);
  });

  test('a file that somebody named must be there at the start; later its absence is told', async () => {
    await expect(followed(true)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await writeFile(path, rule('a'));
    file = await followed(true);
    await rm(path);
    await until(() => expect(status().state).toBe('degraded'));
    expect(ids()).toEqual([]);
  });
});
