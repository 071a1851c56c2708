import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { SETTINGS } from '../../src/settings.js';
import {
  copiesOf,
  environmentOf,
  readDockerfile,
  restsOf,
  type Stage,
  wordsOf,
} from '../support/dockerfile.js';
import { freePort } from '../support/free-port.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MEGABYTE = 1_000_000;
/** All that is laid over the image of Node. */
const MOST_BYTES = 230 * MEGABYTE;

const run = promisify(execFile);
const stages = await readDockerfile(join(ROOT, 'deploy/Dockerfile'));
const last = stages.at(-1) as Stage;

async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What a compiler or the system's packages would do: the set-up does the one, and tests run without the other. */
const isOfTheSystem = (command: string) => /apt-get|npm rebuild|npm run build|^mkdir/.test(command);

/** Does what a stage says in a folder in place of /app. */
async function play(stage: Stage, folder: string, from: (stageName: string) => string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { word, rest } of stage.instructions) {
    if (word === 'RUN' && !isOfTheSystem(rest)) {
      await run('sh', ['-c', rest], {
        cwd: folder,
        env: { ...process.env, npm_config_prefer_offline: 'true' },
      });
    }
    if (word !== 'COPY') continue;
    const [copy] = copiesOf({ ...stage, instructions: [{ word, rest }] });
    for (const source of copy?.sources ?? []) {
      const place =
        copy?.from === undefined ? join(ROOT, source) : join(from(copy.from), source.replace('/app/', ''));
      const target = join(folder, copy?.target ?? '');
      const isFolder = (copy?.target ?? '').endsWith('/');
      await mkdir(isFolder ? target : dirname(target), { recursive: true });
      await cp(place, isFolder ? join(target, basename(source)) : target, {
        recursive: true,
        dereference: false,
      });
    }
  }
}

test('what is copied is there, and in the context', async () => {
  const ignored = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).split('\n');
  for (const { from, sources } of stages.flatMap(copiesOf)) {
    if (from !== undefined) {
      expect(stages.map(({ name }) => name)).toContain(from);
      continue;
    }
    for (const source of sources) {
      await expect(stat(join(ROOT, source))).resolves.toBeDefined();
      const isLetIn = ignored.some(
        (line) => line.startsWith('!') && `${source}/`.startsWith(`${line.slice(1)}/`),
      );
      expect(isLetIn, `${source} is not in the context`).toBe(true);
    }
  }
});

test('it is not root, gets signals itself, and sets what can be set', () => {
  expect(restsOf(last, 'USER')).toEqual(['1000:1000']);
  expect(wordsOf(restsOf(last, 'ENTRYPOINT')[0] ?? '')).toEqual(['node', 'dist/main.js']);
  expect(wordsOf(restsOf(last, 'CMD')[0] ?? '')).toEqual(['serve']);
  const known = Object.values(SETTINGS).map(({ variable }): string => variable);
  const names = Object.keys(environmentOf(last)).filter((name) => name.startsWith('REACH_'));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(known).toContain(name);
});

test('what its stages make serves as its health check sees it, and is small', {
  timeout: 300_000,
}, async () => {
  const work = await temporaryFolder();
  const packages = join(work, 'packages');
  const app = join(work, 'app');
  const [ofPackages] = stages;
  if (ofPackages === undefined) throw new Error('no stage');
  await play(ofPackages, packages, () => ROOT);
  await play(last, app, (name) => (name === 'packages' ? packages : ROOT));

  expect(await bytesOf(app)).toBeLessThan(MOST_BYTES);
  const runtimes = await readdir(join(app, 'node_modules/onnxruntime-node/bin'), { recursive: true });
  expect(runtimes.filter((name) => name.endsWith('.node'))).toHaveLength(1);
  for (const name of ['vitest', 'typescript', '@img']) {
    await expect(stat(join(app, 'node_modules', name))).rejects.toMatchObject({ code: 'ENOENT' });
  }

  await mkdir(join(work, 'manifests'));
  const env = {
    PATH: process.env.PATH,
    ...environmentOf(last),
    REACH_HOST: '127.0.0.1',
    REACH_PORT: String(await freePort()),
    REACH_DATA: join(work, 'data'),
    REACH_MANIFESTS: join(work, 'manifests'),
  };
  const [program = '', ...first] = wordsOf(restsOf(last, 'ENTRYPOINT')[0] ?? '');
  const args = [...first, ...wordsOf(restsOf(last, 'CMD')[0] ?? '')];
  const service = spawn(program, args, { cwd: app, env, stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void service.kill('SIGKILL'));
  const exited = once(service, 'exit');
  const [, check = ''] = /CMD (\[.*\])$/.exec(restsOf(last, 'HEALTHCHECK')[0] ?? '') ?? [];
  const [checker = '', ...checkArgs] = wordsOf(check);
  await until(() => run(checker, [...checkArgs], { cwd: app, env }), 120_000);
  const answer = await fetch(`http://127.0.0.1:${env.REACH_PORT}/health`);
  expect(await answer.json()).toMatchObject({ status: 'ok' });
  service.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  await expect(run(checker, [...checkArgs], { cwd: app, env })).rejects.toMatchObject({ code: 1 });
});
