import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { untilReady } from './until-ready.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const OUTPUT_CHARS = 4_000;

export interface ServiceProcess {
  /** Like http://127.0.0.1:8080. */
  readonly url: string;
  /** From the start of the process until it said that it is ready. */
  readonly startMs: number;
  /** Resident memory of the process and all its children, in MB of a million bytes. */
  memoryMb(): number;
  /** Time of a core that the process itself has used so far, without its children, in seconds. */
  cpuSeconds(): number;
  /** Ends it as a user would. @throws Error where it does not end by itself with exit code 0. */
  stop(): Promise<void>;
  /** Ends it in the middle of what it does, as `kill -9`. @throws Error where it had ended by itself */
  kill(): Promise<void>;
}

/** A port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port was given.');
  return address.port;
}

/**
 * Starts the built service with `serve` or `demo` and waits until it is ready; on a free port where `env` names none.
 * `main`: of another build than this one.
 */
export async function startService(
  command: 'serve' | 'demo',
  env: Readonly<Record<string, string>>,
  main = MAIN,
): Promise<ServiceProcess> {
  const port = env.REACH_PORT ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, command], {
    env: { ...process.env, REACH_HOST: '127.0.0.1', REACH_PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_CHARS);
    });
  }
  const stop = () => stopProcess(child, () => output);
  const kill = async () => {
    if (child.exitCode !== null)
      throw new Error(`The service had ended by itself, with ${child.exitCode}:\n${output}`);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await untilReady(async () => {
      if (child.exitCode !== null) throw new Error(`The service ended at its start:\n${output}`);
      return await isReady(url);
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const startMs = performance.now() - startedAt;
  const pid = child.pid ?? 0;
  return { url, startMs, memoryMb: () => treeMemoryMb(pid), cpuSeconds: () => cpuSecondsOf(pid), stop, kill };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

async function stopProcess(child: ChildProcess, output: () => string): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`The service ended with exit code ${code}:\n${output()}`);
}

/** Sums the resident memory of a process and everything it started. */
function treeMemoryMb(root: number): number {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const tree = new Set([root]);
  let kilobytes = 0;
  // ps lists no order that could be trusted, so children are collected until there are no new ones.
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const [pid = 0, ppid = 0] of table) if (tree.has(ppid)) tree.add(pid);
  }
  for (const [pid = 0, , rss = 0] of table) if (tree.has(pid)) kilobytes += rss;
  return (kilobytes * 1024) / 1e6;
}

/** Clock ticks a second in /proc, the same on every Linux that Node runs on. */
const TICKS = 100;

/** Of user and system time; `ps` of Linux only knows whole seconds. */
function cpuSecondsOf(pid: number): number {
  if (process.platform === 'linux') {
    // The name of the program, in parentheses, may hold spaces: what is counted comes after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  }
  const time = execFileSync('ps', ['-p', String(pid), '-o', 'time='], { encoding: 'utf8' }).trim();
  return time.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}
