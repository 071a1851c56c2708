import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';

const START_LIMIT_MS = 20_000;

/** Whether this machine has the program. */
export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** A Redis of its own, whose file outlives its end. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, folder: string, options: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
  }

  /** `options`: of redis-server, as '--requirepass', 'secret'. */
  static async start(...options: readonly string[]): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'agent-reach-redis-'));
    const server = new RedisServer(await freePort(), folder, options);
    await server.begin();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again after `end`, with what its append-only file holds. */
  async begin(): Promise<void> {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder, '--save', ''];
    const child = spawn(
      'redis-server',
      [...args, '--appendonly', 'yes', '--appendfsync', 'always', ...this.#options],
      {
        stdio: 'ignore',
      },
    );
    this.#child = child;
    await once(child, 'spawn');
    const until = Date.now() + START_LIMIT_MS;
    while (!(await answers(this.port))) {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      if (Date.now() > until) throw new Error('redis-server does not listen');
      await sleep(20);
    }
  }

  /** It holds its connections and says nothing. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
  }

  /** It restarts without anything that it had. */
  async forget(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder);
    await this.begin();
  }

  /** Ends it for good. */
  async remove(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Whether one that listens there says anything at all to a PING: also one that wants a password first. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const tell = (does: boolean) => {
      socket.destroy();
      resolve(does);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => tell(!String(data).startsWith('-LOADING')));
    socket.once('error', () => tell(false));
    socket.setTimeout(1_000, () => tell(false));
  });
}
