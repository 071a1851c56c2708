import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { DispatchAnswer, DispatchRequest } from '../../src/wire/dispatch.js';
import type { RequestEvent, RequestStatus } from '../../src/wire/requests.js';

interface Line {
  readonly ready?: string;
  readonly question?: number;
  readonly result?: unknown;
  readonly code?: string;
  readonly event?: RequestEvent;
}

/** A replica as a process of its own, over a Redis. It ends with the test at the latest. */
export class ReplicaProcess {
  readonly id: string;
  readonly #child: ChildProcess;
  readonly #settled = new Map<number, (line: Line) => void>();
  readonly #events = new Map<number, (event: RequestEvent) => void>();
  #questions = 0;

  private constructor(child: ChildProcess, id: string) {
    this.#child = child;
    this.id = id;
  }

  static async start(redisUrl: string, agent: string | URL): Promise<ReplicaProcess> {
    const file = join(import.meta.dirname, 'replica.mjs');
    const child = spawn(process.execPath, [file, redisUrl, String(agent)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout });
    const [first] = await once(lines, 'line');
    const replica = new ReplicaProcess(child, (JSON.parse(String(first)) as Line).ready ?? '');
    lines.on('line', (text) => replica.#take(JSON.parse(text) as Line));
    return replica;
  }

  dispatch(request: DispatchRequest): Promise<DispatchAnswer> {
    return this.#ask('dispatch', request) as Promise<DispatchAnswer>;
  }

  later(request: DispatchRequest): Promise<RequestStatus> {
    return this.#ask('later', request) as Promise<RequestStatus>;
  }

  status(requestId: string): Promise<RequestStatus> {
    return this.#ask('status', requestId) as Promise<RequestStatus>;
  }

  async cancel(requestId: string): Promise<void> {
    await this.#ask('cancel', requestId);
  }

  async reply(requestId: string, token: string, reply: object): Promise<void> {
    await this.#ask('reply', [requestId, token, reply]);
  }

  /** Resolves when the last event is told. */
  async events(requestId: string, told: (event: RequestEvent) => void): Promise<void> {
    await this.#ask('events', requestId, told);
  }

  async close(): Promise<void> {
    await this.#ask('close', null);
    await this.kill();
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await ended;
  }

  #ask(what: string, given: unknown, told?: (event: RequestEvent) => void): Promise<unknown> {
    this.#questions += 1;
    const question = this.#questions;
    if (told !== undefined) this.#events.set(question, told);
    return new Promise((resolve, reject) => {
      this.#settled.set(question, ({ code, result }) => {
        if (code === undefined) resolve(result);
        else reject(Object.assign(new Error(`the replica says ${code}`), { code }));
      });
      this.#child.stdin?.write(`${JSON.stringify({ question, what, given })}\n`);
    });
  }

  #take(line: Line): void {
    const { question = 0, event } = line;
    if (event !== undefined) this.#events.get(question)?.(event);
    else this.#settled.get(question)?.(line);
  }
}
