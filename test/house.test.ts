import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withErrorTable } from '../docs/generate/error-table.js';
import { temporaryFolder } from './support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const MAX_LINES = 300;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '');
const sources = tracked.filter((path) => /^(sdk\/)?src\/.*\.(ts|mjs)$/.test(path));

/** A wrong file for each rule, and the name that the rule must be reported by. */
const WRONG_FILES = [
  { path: 'src/net/wrong.ts', imports: ['../http/server.js'], rule: /^only-earlier-rooms: net\/$/ },
  { path: 'src/wire/wrong.ts', imports: ['./wrong.js'], rule: /^no-cycles$/ },
  { path: 'src/wrong.ts', imports: ['./errors.js'], rule: /^every-file-has-a-room$/ },
  {
    path: 'src/http/wrong-import.ts',
    imports: ['../wrong.js'],
    rule: /^every-imported-file-has-a-room$/,
  },
  { path: 'src/http/wrong.ts', imports: ['../storage/stores.js'], rule: /^adapters-only-in-open-reach$/ },
  { path: 'src/routing/wrong.ts', imports: ['node:fs'], rule: /^routing-is-pure$/ },
  {
    path: 'src/routing/wrong-room.ts',
    imports: ['../embedding/cached-embedder.js'],
    rule: /^routing-sees-what-computes$/,
  },
  { path: 'sdk/src/wrong.ts', imports: ['../../src/errors.js'], rule: /^sdk-stands-alone$/ },
  { path: 'sdk/src/wrong-package.ts', imports: ['undici'], rule: /^sdk-stands-alone$/ },
  { path: 'src/http/wrong-kit.ts', imports: ['../../sdk/src/index.js'], rule: /^sdk-for-demo-only$/ },
];

interface CruiseReport {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

/** What a built module imports, now or later. */
const anyImports = (path: string) =>
  ts.preProcessFile(readFileSync(path, 'utf8')).importedFiles.map(({ fileName }) => fileName);

/** What it imports when it is loaded. */
function firstImports(path: string): string[] {
  const { statements } = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    return moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
  });
}

/** The packages that a built module imports, itself or by what it imports. */
function packagesOf(entry: string, importsOf = anyImports): string[] {
  const packages = new Set<string>();
  const visited = new Set<string>();
  const visit = (path: string) => {
    if (visited.has(path)) return;
    visited.add(path);
    for (const fileName of importsOf(path)) {
      if (fileName.startsWith('.')) visit(join(dirname(path), fileName));
      else if (!isBuiltin(fileName)) packages.add(fileName);
    }
  };
  visit(join(ROOT, 'dist', entry));
  return [...packages].sort();
}

const copy = await temporaryFolder(afterAll);

describe('the check of import directions', () => {
  let report: CruiseReport['summary'];

  beforeAll(() => {
    for (const path of ['src', 'sdk', 'package.json', 'tsconfig.json', '.dependency-cruiser.cjs']) {
      cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
    for (const { path, imports } of WRONG_FILES) {
      writeFileSync(join(copy, path), imports.map((name) => `import '${name}';\n`).join(''));
    }
    const cli = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const args = [cli, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src', 'sdk/src'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 28 });
    report = (JSON.parse(stdout) as CruiseReport).summary;
  });

  it('really cruises: as many modules as there are source files, at least', () => {
    expect(report.totalCruised).toBeGreaterThanOrEqual(sources.length);
  });

  it.each(WRONG_FILES)('finds what is wrong in $path', ({ path, rule }) => {
    const names = report.violations
      .filter(({ from }) => from === path)
      .map((violation) => violation.rule.name);
    expect(names).toContainEqual(expect.stringMatching(rule));
  });

  it('finds nothing wrong elsewhere', () => {
    const wrong = new Set(WRONG_FILES.map(({ path }) => path));
    expect(report.violations.filter(({ from }) => !wrong.has(from))).toEqual([]);
  });
});

describe('the repository', () => {
  it('takes packages from the public registry only', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { resolved?: string; link?: boolean }>;
    };
    const links = Object.values(packages).filter(({ link }) => link === true);
    expect(links.map(({ resolved }) => resolved)).toEqual(['sdk']);
    const elsewhere = Object.values(packages)
      .flatMap(({ resolved, link }) => (link === true ? [] : [resolved]))
      .filter((url) => url !== undefined && !url.startsWith('https://registry.npmjs.org/'));
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(elsewhere).toEqual([]);
  });

  it(`has no source file of more than ${MAX_LINES} lines`, () => {
    const long = sources.filter((path) => read(path).trimEnd().split('\n').length > MAX_LINES);
    expect(sources.length).toBeGreaterThan(10);
    expect(long).toEqual([]);
  });

  it('speaks of no machine and no tracker', () => {
    // Put together here, or this file would be found.
    const unwanted = [
      ['/wo', 'rk/'],
      ['/ro', 'ot/'],
      ['/ho', 'me/'],
      ['issue', ' #'],
    ].map((it) => it.join(''));
    const texts = tracked.filter((path) => !path.startsWith('models/') && path !== 'package-lock.json');
    const found = texts.flatMap((path) => {
      const text = read(path);
      return unwanted.filter((word) => text.includes(word)).map((word) => `${path}: ${word}`);
    });
    expect(found).toEqual([]);
  });

  it('puts no word boundary beside a Chinese word, where there never is one', () => {
    const beside = /\\b(?:\([^()]*)?\p{Script=Han}|\p{Script=Han}(?:[^()]*\))?\\b/u;
    const isWrong = (line: string) => beside.test(line);
    expect([String.raw`\b订单`, String.raw`\b(order|订单)`, String.raw`(订单|order)\b`].every(isWrong)).toBe(
      true,
    );
    expect([String.raw`\b(?:order|book)\b|订单`, String.raw`订单|\border`].some(isWrong)).toBe(false);
    const wrong = sources.flatMap((path) => read(path).split('\n').filter(isWrong));
    expect(wrong).toEqual([]);
  });

  it('makes outgoing connections in net/ only, but for the commands that architecture.md names', () => {
    const connecting = sources.filter(
      (path) =>
        path.startsWith('src/') &&
        path.endsWith('.ts') &&
        /\bfetch\(|from '(undici|node:http2)'/.test(read(path)),
    );
    const elsewhere = connecting.filter((path) => !path.startsWith('src/net/'));
    expect(elsewhere).toEqual([
      'src/cli/remote-bytes.ts',
      'src/cli/remote-call.ts',
      'src/embedding/hub-repository.ts',
    ]);
    const design = read('docs/architecture.md');
    for (const path of elsewhere) expect(design).toContain(path.slice('src/'.length));
  });

  it('loads next to nothing into the threads and processes beside the service, of which there are several', () => {
    // What speaks to a Redis is loaded by who has one.
    expect(packagesOf('main.js', firstImports)).not.toContain('bullmq');
    expect(packagesOf('main.js', firstImports)).not.toContain('ioredis');
    expect(packagesOf('storage/redis/redis-stores.js')).toEqual(
      expect.arrayContaining(['bullmq', 'ioredis']),
    );
    expect(packagesOf('storage/sqlite/store-worker.js')).toEqual(['@photostructure/sqlite']);
    expect(packagesOf('labels/near-duplicates-worker.js')).toEqual([]);
    expect(packagesOf('embedding/model-process.js')).toEqual(['@xenova/transformers']);
    expect(packagesOf('retrieval/hnsw-process.js')).toEqual(['hnswlib-node']);
  });

  it('tells a newcomer the two commands on the first screen of the README', () => {
    const firstScreen = read('README.md').split('\n').slice(0, 25).join('\n');
    expect(firstScreen).toContain('npm start');
    expect(firstScreen).toContain('npm test');
  });

  it('documents the errors that the code has (npm run docs:errors)', () => {
    const page = read('docs/errors.md');
    expect(withErrorTable(page)).toBe(page);
  });
});
