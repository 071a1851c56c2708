// Makes a fresh clone ready and then starts it or runs its tests: `node src/setup.mjs [start|test] [-- arguments]`.
// Plain JavaScript without packages, since it runs before there are any; and in syntax that Node 14 can read,
// since whoever has a Node too old shall see a sentence and not a syntax error.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const LOCK_PATIENCE_MS = 900000;
const SHOWN_OUTPUT_LINES = 15;

/** A step that cannot be done; its message is all that the user needs to see. */
class SetupFault extends Error {}

const say = (sentence) => process.stdout.write(`[set-up] ${sentence}\n`);

/** Why this Node cannot run Agent-Reach, in one sentence; undefined where it can. `version` like '20.19.0'. */
export function nodeFault(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  return `Agent-Reach needs Node 20.19 or newer, and this is Node ${version}.`;
}

/** Freshness is decided by content: after a clone or a checkout file times say nothing. */
export function contentHash(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const file = join(root, path);
    const content = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** The files under `folder` that have one of these endings, relative to `root`, in a stable order. */
function filesUnder(root, folder, ...endings) {
  if (!fs.existsSync(join(root, folder))) return [];
  const names = fs.readdirSync(join(root, folder), { recursive: true });
  return names
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => join(folder, name))
    .sort();
}

/** What the operation returns; undefined where it cannot be done, mostly since another process was faster. */
function ifPossible(operation) {
  try {
    return operation();
  } catch {
    return undefined;
  }
}

const readMarker = (file) => ifPossible(() => JSON.parse(fs.readFileSync(file, 'utf8'))) || {};

/** npm as it called us, else the one on the PATH. Another package manager would not read the lock file. */
function npmCommand() {
  const cli = process.env.npm_execpath;
  if (cli && basename(cli) === 'npm-cli.js') return { command: process.execPath, first: [cli], shell: false };
  return { command: 'npm', first: [], shell: process.platform === 'win32' };
}

/** Runs a program to its end and resolves to its output; a signal that we get, it gets, and ends us too. */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    let stoppedBy;
    const forward = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    process.on('SIGINT', forward).on('SIGTERM', forward);
    child.on('error', (error) => reject(new SetupFault(`${command} cannot be started: ${error.message}`)));
    child.on('close', (code) => {
      process.off('SIGINT', forward).off('SIGTERM', forward);
      if (stoppedBy) reject(new SetupFault(`Stopped by ${stoppedBy}; the next start goes on from here.`));
      else if (code === 0) resolve(output);
      else reject(new SetupFault(output.trim().split('\n').slice(-SHOWN_OUTPUT_LINES).join('\n')));
    });
  });
}

async function runNpm(args, env) {
  const { command, first, shell } = npmCommand();
  await run(command, [...first, ...args, '--loglevel=error'], { shell, env: { ...process.env, ...env } });
}

async function orFault(sentence, work) {
  try {
    await work();
  } catch (error) {
    throw new SetupFault(`${sentence}\n${error.message}`);
  }
}

/** The ONNX runtimes of other platforms, which the package carries along: 240 MB that nobody here can load. */
export function foreignRuntimes(root, platform, arch) {
  const bin = join(root, 'node_modules', 'onnxruntime-node', 'bin');
  const children = (folder) => fs.readdirSync(folder).map((name) => join(folder, name));
  if (!fs.existsSync(bin)) return [];
  return children(bin)
    .flatMap(children)
    .flatMap((os) => (basename(os) === platform ? children(os).filter((it) => basename(it) !== arch) : [os]));
}

/** What this machine lacks to compile the vector index, in words; undefined where nothing is missing. */
export function missingForIndex(env, headers) {
  const folders = (env.PATH || '').split(delimiter);
  const lacks = (...names) =>
    !names.some((name) => folders.some((it) => it && fs.existsSync(join(it, name))));
  const missing = [];
  if (lacks('g++', 'c++', 'clang++')) missing.push('C++ compiler');
  if (lacks('make')) missing.push('make');
  if (lacks('python3', 'python')) missing.push('Python');
  if (!env.npm_config_nodedir && !fs.existsSync(join(headers, 'include', 'node', 'node_api.h')))
    missing.push('Node headers');
  return missing.length > 0 ? `no ${missing.join(', no ')}` : undefined;
}

const packagesMarker = join(ROOT, 'node_modules', '.agent-reach.json');

function packagesHash() {
  const files = contentHash(ROOT, ['package-lock.json', 'package.json', 'sdk/package.json', '.npmrc']);
  return `node-${process.version.split('.')[0]}-${files}`;
}

const packages = {
  isFresh: () => readMarker(packagesMarker).packages === packagesHash(),
  async make() {
    say('Installing the packages (npm ci) ...');
    // npm gives up on a folder that an interrupted installation left half removed.
    fs.rmSync(join(ROOT, 'node_modules'), { recursive: true, force: true, maxRetries: 10 });
    await orFault('The packages could not be installed (npm ci).', () =>
      runNpm(['ci', '--include=dev', '--include=optional'], {}),
    );
    for (const folder of foreignRuntimes(ROOT, process.platform, process.arch))
      fs.rmSync(folder, { recursive: true, force: true });
    fs.writeFileSync(packagesMarker, JSON.stringify({ packages: packagesHash() }));
  },
};

const nodePrefix = () => dirname(dirname(fs.realpathSync(process.execPath)));

/** The native vector index is a gain in speed, not a need. What came of it is kept, to be tried again only
 * when what was missing has come. */
const vectorIndex = {
  isFresh() {
    const { vectorIndex: result } = readMarker(packagesMarker);
    if (result === 'compiled' || result === 'failed') return true;
    return result !== undefined && result === missingForIndex(process.env, nodePrefix());
  },
  async make() {
    const marker = readMarker(packagesMarker);
    marker.vectorIndex = missingForIndex(process.env, nodePrefix());
    if (marker.vectorIndex === undefined) {
      say('Compiling the vector index (hnswlib-node) ...');
      const nodedir = process.env.npm_config_nodedir || nodePrefix();
      const env = { npm_config_nodedir: nodedir };
      const compiling = runNpm(['rebuild', 'hnswlib-node', '--ignore-scripts=false'], env);
      marker.vectorIndex = await compiling.then(
        () => 'compiled',
        () => 'failed',
      );
    }
    if (marker.vectorIndex !== 'compiled')
      say(`The vector index is not compiled (${marker.vectorIndex}): the exact scan will serve.`);
    fs.writeFileSync(packagesMarker, JSON.stringify(marker));
  },
};

/** The folders of what is built, the kit first: the rest is compiled against its declarations. */
const BUILDS = [
  { project: 'sdk', sources: join('sdk', 'src'), output: join('sdk', 'dist') },
  { project: 'src', sources: 'src', output: 'dist' },
];

/** The state of what is built: from which sources and packages, and that nobody changed it since. */
export function buildState(root, packagesState) {
  const sources = BUILDS.flatMap((it) => filesUnder(root, it.sources, '.ts', '.json'));
  const built = BUILDS.flatMap((it) => filesUnder(root, it.output, '.js'));
  return JSON.stringify({
    packages: packagesState,
    sources: contentHash(root, [...sources, join('sdk', 'tsconfig.json'), 'tsconfig.json']),
    built: contentHash(root, built),
  });
}

const buildMarker = join(ROOT, 'dist', '.built-from.json');

const build = {
  isFresh: () =>
    fs.existsSync(buildMarker) && fs.readFileSync(buildMarker, 'utf8') === buildState(ROOT, packagesHash()),
  async make() {
    say('Building TypeScript into dist/ ...');
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    for (const { project, output } of BUILDS) {
      // Built beside and then put in place: no stale file stays, and a failed build takes nothing away.
      const fresh = join(ROOT, `${output}.new`);
      fs.rmSync(fresh, { recursive: true, force: true });
      const compile = () => run(process.execPath, [tsc, '-p', project, '--outDir', fresh]);
      await orFault(`The build failed (tsc -p ${project}).`, compile);
      fs.rmSync(join(ROOT, output), { recursive: true, force: true });
      fs.renameSync(fresh, join(ROOT, output));
    }
    fs.writeFileSync(buildMarker, buildState(ROOT, packagesHash()));
  },
};

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Takes the lock: a folder with one file, named after the pid of the owner. It is prepared aside and renamed
 * into place, which fails while a file stands there; so it never lacks its owner, and a dead owner's lock is
 * opened by removing that very file, which cannot hit the lock of whoever came in between.
 * Waits while the owner lives, at most `patienceMs`. Returns the function that gives the lock back.
 */
export async function takeLock(folder, patienceMs = LOCK_PATIENCE_MS) {
  const open = (pid) => {
    ifPossible(() => fs.unlinkSync(join(folder, pid)));
    ifPossible(() => fs.rmdirSync(folder));
  };
  const me = String(process.pid);
  const prepared = `${folder}.${me}`;
  fs.mkdirSync(prepared, { recursive: true });
  fs.writeFileSync(join(prepared, me), '');
  const end = Date.now() + patienceMs;
  for (let told = false; ; ) {
    ifPossible(() => fs.renameSync(prepared, folder));
    if (fs.existsSync(join(folder, me))) return () => open(me);
    const owner = ifPossible(() => fs.readdirSync(folder)[0]);
    if (owner !== undefined && !isAlive(Number(owner))) open(owner);
    else if (owner !== undefined && !told) {
      say(`Waiting for another set-up of this folder (process ${owner}) ...`);
      told = true;
    }
    if (Date.now() > end) {
      fs.rmSync(prepared, { recursive: true });
      throw new SetupFault(`Another set-up (process ${owner}) holds ${folder}; remove it if that is not so.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function setUp() {
  const steps = [packages, vectorIndex, build];
  if (steps.every((step) => step.isFresh())) return;
  const giveBack = await takeLock(join(ROOT, '.reach', 'setup.lock'));
  try {
    for (const step of steps) if (!step.isFresh()) await step.make();
  } finally {
    giveBack();
  }
}

/** What follows the set-up, run in this very process: no wrapper stands between it and signals or exit codes. */
const MODES = {
  start: { file: join('dist', 'main.js'), args: ['demo'] },
  test: {
    file: join('node_modules', 'vitest', 'vitest.mjs'),
    args: ['run', '--config', 'test/vitest.config.ts'],
  },
};

async function main([mode, ...rest]) {
  const fault = nodeFault(process.versions.node);
  if (fault !== undefined) throw new SetupFault(fault);
  if (mode !== undefined && MODES[mode] === undefined)
    throw new SetupFault(`Expected start, test or nothing, and received ${mode}.`);
  process.chdir(ROOT);
  await setUp();
  if (mode === undefined) return;
  const entry = join(ROOT, MODES[mode].file);
  const args = rest[0] === '--' ? rest.slice(1) : rest;
  process.argv.splice(1, Infinity, entry, ...MODES[mode].args, ...args);
  await import(pathToFileURL(entry).href);
}

const isMain =
  process.argv[1] && fs.realpathSync(process.argv[1]) === fs.realpathSync(fileURLToPath(import.meta.url));
if (isMain) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error instanceof SetupFault ? error.message : error.stack}\n`);
    process.exitCode = 1;
  });
}
