import { Worker } from 'node:worker_threads';
import type { AgentLogger } from './agent-logger.js';
import type { BeatMessage, BeatRequest, BeatThreadData } from './beat-messages.js';
import type { MembershipSetup, MembershipState } from './membership.js';

/** A membership in a thread of its own, so that a handler that blocks never delays a beat. */
export class BeatThread {
  readonly #worker: Worker;
  readonly #pending: Int32Array;
  readonly #logger: AgentLogger;
  /** Who waits for which request to be done. */
  readonly #waiting = new Map<BeatRequest, () => void>();
  #state: MembershipState = 'unregistered';
  #ended = false;

  constructor(setup: MembershipSetup, logger: AgentLogger) {
    this.#logger = logger;
    const pending = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#pending = new Int32Array(pending);
    const workerData: BeatThreadData = { setup, pending };
    // Loaders of the agent's program are not meant for it.
    this.#worker = new Worker(new URL('./beat-worker.js', import.meta.url), { workerData, execArgv: [] });
    this.#worker.on('message', (message: BeatMessage) => this.#receive(message));
    this.#worker.on('error', (error) => logger.error('The thread that beats has failed', error));
    this.#worker.on('exit', () => this.#end());
  }

  get state(): MembershipState {
    return this.#state;
  }

  /** How many tasks are under way, for the next beat. */
  setPending(count: number): void {
    Atomics.store(this.#pending, 0, count);
  }

  /** Resolves when the service was told, or could not be. */
  drain(): Promise<void> {
    return this.#ask('drain');
  }

  /** Resolves when it has left, or could not; the thread ends then. */
  async leave(): Promise<void> {
    await this.#ask('leave');
    await this.#worker.terminate();
  }

  #ask(request: BeatRequest): Promise<void> {
    if (this.#ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.set(request, resolve);
      this.#worker.postMessage(request);
    });
  }

  #receive(message: BeatMessage): void {
    if (message.kind === 'state') this.#state = message.state;
    else if (message.kind === 'log') this.#logger[message.level](message.message);
    else this.#waiting.get(message.request)?.();
  }

  #end(): void {
    this.#ended = true;
    for (const resolve of this.#waiting.values()) resolve();
  }
}
