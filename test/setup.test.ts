import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.js';

interface SetUp {
  nodeFault(version: string): string | undefined;
  contentHash(root: string, paths: readonly string[]): string;
  foreignRuntimes(root: string, platform: string, arch: string): readonly string[];
  missingForIndex(env: Readonly<Record<string, string>>, headers: string): string | undefined;
  buildState(root: string, packagesState: string): string;
  takeLock(folder: string, patienceMs?: number): Promise<() => void>;
}

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SETUP = join(ROOT, 'src/setup.mjs');
const setUp: SetUp = await import(SETUP);

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
});

function write(path: string, content = ''): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function run(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { npm_execpath: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [script, ...args], { env: { ...inherited, ...env } });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

describe('a Node that is too old', () => {
  it.each(['14.21.3', '18.20.8', '20.18.3'])('%s is refused in one sentence', (version) => {
    expect(setUp.nodeFault(version)).toBe(
      `Agent-Reach needs Node 20.19 or newer, and this is Node ${version}.`,
    );
  });

  it.each(['20.19.0', '22.0.0', '24.1.0'])('%s is not', (version) => {
    expect(setUp.nodeFault(version)).toBeUndefined();
  });

  it('can read the file: nothing in it is newer than ES2020', () => {
    const source = readFileSync(SETUP, 'utf8');
    const printed = (target: ts.ScriptTarget) =>
      ts.transpileModule(source, { compilerOptions: { target, module: ts.ModuleKind.ESNext } }).outputText;
    expect(printed(ts.ScriptTarget.ES2020)).toBe(printed(ts.ScriptTarget.ESNext));
  });
});

describe('freshness', () => {
  beforeEach(() => {
    write('tsconfig.json', '{}');
    for (const path of ['src/a.ts', 'dist/a.js', 'sdk/src/b.ts', 'sdk/dist/b.js']) write(path, 'export {};');
  });

  it('does not look at file times', () => {
    const before = setUp.buildState(folder, 'packages');
    utimesSync(join(folder, 'src/a.ts'), new Date(0), new Date(0));
    expect(setUp.buildState(folder, 'packages')).toBe(before);
  });

  it.each([
    ['a changed source', () => write('src/a.ts', 'export const a = 1;')],
    ['a new source', () => write('src/room/b.ts')],
    ['a changed data file', () => write('src/data.json', '[]')],
    ['a changed compiler option', () => write('tsconfig.json', '{"include": []}')],
    ['a changed source of the kit', () => write('sdk/src/b.ts', 'export const b = 1;')],
    ['a changed file in sdk/dist/', () => write('sdk/dist/b.js', '')],
    ['a removed source', () => rmSync(join(folder, 'src/a.ts'))],
    ['a changed file in dist/', () => write('dist/a.js', '')],
  ])('ends with %s', (_, change) => {
    const before = setUp.buildState(folder, 'packages');
    change();
    expect(setUp.buildState(folder, 'packages')).not.toBe(before);
  });

  it('ends with other packages', () => {
    expect(setUp.buildState(folder, 'one')).not.toBe(setUp.buildState(folder, 'other'));
  });

  it('knows which file has which content', () => {
    write('b', 'xy');
    write('c', 'z');
    const before = setUp.contentHash(folder, ['b', 'c']);
    write('b', 'x');
    write('c', 'yz');
    expect(setUp.contentHash(folder, ['b', 'c'])).not.toBe(before);
  });
});

describe('the ONNX runtimes of other platforms', () => {
  it('are all but the one of this platform', () => {
    const bin = 'node_modules/onnxruntime-node/bin/napi-v6';
    for (const place of ['linux/x64', 'linux/arm64', 'darwin/arm64', 'win32/x64'])
      write(`${bin}/${place}/ort.node`);
    expect(setUp.foreignRuntimes(folder, 'linux', 'x64').toSorted()).toEqual(
      ['darwin', 'linux/arm64', 'win32'].map((place) => join(folder, bin, place)),
    );
  });

  it('are none where the package is not there', () => {
    expect(setUp.foreignRuntimes(folder, 'linux', 'x64')).toEqual([]);
  });
});

describe('the vector index', () => {
  it('is compiled where everything for it is there', () => {
    for (const tool of ['bin/g++', 'bin/make', 'other/python3', 'include/node/node_api.h']) write(tool);
    const PATH = ['bin', 'other'].map((name) => join(folder, name)).join(delimiter);
    expect(setUp.missingForIndex({ PATH }, folder)).toBeUndefined();
  });

  it('is left where it is not, and the reason names all that is missing', () => {
    write('bin/make');
    const PATH = join(folder, 'bin');
    expect(setUp.missingForIndex({ PATH }, folder)).toBe('no C++ compiler, no Python, no Node headers');
    expect(setUp.missingForIndex({}, folder)).toContain('no make');
    expect(setUp.missingForIndex({ PATH, npm_config_nodedir: '/usr' }, folder)).not.toContain('headers');
  });
});

describe('two set-ups at once', () => {
  it('take turns', async () => {
    const lock = join(folder, 'setup.lock');
    const script = write(
      'holder.mjs',
      `import { takeLock } from ${JSON.stringify(SETUP)};
       import fs from 'node:fs';
       const giveBack = await takeLock(${JSON.stringify(lock)});
       fs.appendFileSync(${JSON.stringify(join(folder, 'log'))}, 'in ');
       await new Promise((resolve) => setTimeout(resolve, 50));
       fs.appendFileSync(${JSON.stringify(join(folder, 'log'))}, 'out ');
       giveBack();`,
    );
    const ended = await Promise.all(Array.from({ length: 4 }, () => run(script, [])));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('in out '.repeat(4));
    expect(existsSync(lock)).toBe(false);
  });

  it('do not wait for one that died', async () => {
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => dead.on('close', resolve));
    write(`setup.lock/${dead.pid}`);
    const giveBack = await setUp.takeLock(join(folder, 'setup.lock'));
    giveBack();
    expect(existsSync(join(folder, 'setup.lock'))).toBe(false);
  });

  it('do not wait for ever', async () => {
    write(`setup.lock/${process.ppid}`);
    const waiting = setUp.takeLock(join(folder, 'setup.lock'), 150);
    await expect(waiting).rejects.toThrow(`(process ${process.ppid}) holds`);
  });
});

/** A clone with a stand-in for npm, so that what the set-up asks of it can be seen without a network. */
describe('a clone', () => {
  beforeEach(() => {
    for (const path of [
      'package.json',
      'package-lock.json',
      '.npmrc',
      'src/setup.mjs',
      'src/tsconfig.json',
      'sdk/package.json',
      'sdk/tsconfig.json',
    ]) {
      cpSync(join(ROOT, path), join(folder, path));
    }
    write('tsconfig.json', '{"compilerOptions": {"module": "NodeNext", "lib": ["ES2023"], "types": []}}');
    write(
      'src/main.ts',
      "export {};\nconsole.log('started', process.argv.slice(2));\nprocess.exitCode = 7;\n",
    );
    write('sdk/src/index.ts', 'export const kit = 1;');
    // Installs a link to the real compiler; `fail` in the clone makes it fail.
    write(
      'bin/npm',
      `#!${process.execPath}
       import fs from 'node:fs';
       if (fs.existsSync('fail')) { console.error('the registry is on fire'); process.exit(3); }
       fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
       fs.mkdirSync('node_modules', { recursive: true });
       fs.symlinkSync(${JSON.stringify(join(ROOT, 'node_modules/typescript'))}, 'node_modules/typescript', 'junction');
      `,
    );
    chmodSync(join(folder, 'bin/npm'), 0o755);
    // It installs no @types/node.
    write(
      'src/node.d.ts',
      'declare const console: { log(...x: unknown[]): void };\ndeclare const process: { argv: string[]; exitCode: number };\n',
    );
  });

  const start = (...args: string[]) =>
    run(join(folder, 'src/setup.mjs'), args, { PATH: join(folder, 'bin') });
  const npmCalls = () => readFileSync(join(folder, 'npm.log'), 'utf8').trim().split('\n');

  it('is set up once, and main gets the arguments and gives the exit code', async () => {
    const first = await start('start', '--port', '1');
    expect(first.output).toContain('Installing the packages');
    expect(first.output).toContain('the exact scan will serve');
    expect(first.output).toContain('Building TypeScript');
    expect(first.output).toContain("started [ 'demo', '--port', '1' ]");
    expect(first.code).toBe(7);

    const second = await start('start');
    expect(second.output).toBe("started [ 'demo' ]\n");
    expect(npmCalls()).toEqual([expect.stringMatching(/^ci /)]);
  });

  it('is built again, and only that, when a source changed; what was removed is gone', async () => {
    write('src/old.ts', 'export {};');
    await start();
    expect(existsSync(join(folder, 'dist/old.js'))).toBe(true);
    rmSync(join(folder, 'src/old.ts'));
    expect((await start()).output).toBe('[set-up] Building TypeScript into dist/ ...\n');
    expect(existsSync(join(folder, 'dist/old.js'))).toBe(false);
    expect(existsSync(join(folder, 'dist/main.js'))).toBe(true);
  });

  it('is installed again when the lock file changed', async () => {
    await start();
    write('package-lock.json', '{"lockfileVersion": 3}');
    expect((await start()).output).toContain('Installing the packages');
    expect(npmCalls()).toHaveLength(2);
  });

  it('says what failed, and is ready after the next try', async () => {
    write('fail');
    const failed = await start('start');
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('The packages could not be installed (npm ci).\nthe registry is on fire');
    rmSync(join(folder, 'fail'));
    expect((await start('start')).code).toBe(7);
  });

  it('says which source does not compile, and keeps what was built before', async () => {
    await start();
    write('src/main.ts', 'const port: number = "8080";');
    const failed = await start('start');
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('src/main.ts(1,7): error TS2322');
    expect(existsSync(join(folder, 'dist/main.js'))).toBe(true);
  });

  it('takes start, test or nothing', async () => {
    const { code, output } = await start('sart');
    expect(code).toBe(1);
    expect(output).toBe('Expected start, test or nothing, and received sart.\n');
  });
});
