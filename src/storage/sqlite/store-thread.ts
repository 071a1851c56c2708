import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtEntry } from '../../built-entry.js';
import { systemClock } from '../../clock.js';
import { ReachError } from '../../errors.js';
import type { FromStoreThread, StoreThreadData, ToStoreThread } from './thread-messages.js';

interface Call {
  readonly port: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: ReachError) => void;
}

/** A port that nobody asks again would else be told of for ever. */
const FAULT_TOLD_MS = 10_000;

interface Fault {
  readonly sentence: string;
  /** By the monotonic clock. */
  readonly until: number;
}

/** Files of stores that a thread of its own has open: this thread never waits for their disk. */
export class StoreThread {
  readonly #paths: string;
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly #calls = new Map<number, Call>();
  #lastId = 0;
  /** Why nothing can be asked any more. */
  #end: ReachError | undefined;
  /** Of the ports whose last access failed. */
  readonly #faults = new Map<string, Fault>();

  private constructor(files: StoreThreadData) {
    this.#paths = Object.values(files).join(' and ');
    this.#worker = new Worker(builtEntry('storage/sqlite/store-worker.js'), {
      workerData: files,
      // Not the service's own Node flags: a loader is not for this thread.
      execArgv: [],
      // What it makes is short-lived and small; without a bound its garbage grows to some 10 MB.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.on('message', (message: FromStoreThread) => this.#settle(message));
    this.#worker.on('error', (error) => this.#fail(error.message));
    this.#exited = once(this.#worker, 'exit').then(() => this.#fail('its thread has ended'));
    // Of an error every call is told, and `close`: until then nobody waits for this, and Node would end the process.
    this.#exited.catch(() => {});
  }

  /** @throws ReachError STORE_UNAVAILABLE where it is in use, damaged, of another program or of a newer version */
  static async open(files: StoreThreadData): Promise<StoreThread> {
    const thread = new StoreThread(files);
    try {
      await new Promise<unknown>((resolve, reject) =>
        thread.#calls.set(0, { port: 'open', resolve, reject }),
      );
    } catch (thrown) {
      await thread.close();
      throw thrown;
    }
    return thread;
  }

  /** The sentence of a port whose last access failed, for some seconds. */
  get fault(): string | undefined {
    const now = systemClock.monotonic();
    return [...this.#faults.values()].find(({ until }) => now < until)?.sentence;
  }

  /** What was asked before is still carried out; later calls are refused with CLOSED. */
  async close(): Promise<void> {
    this.#end ??= new ReachError('CLOSED', `${this.#paths} can be used no more: the store has been closed.`);
    this.#worker.ref();
    this.#worker.postMessage(null);
    await this.#exited;
  }

  /** Calls a verb of a port that the thread serves. @throws ReachError as that does; CLOSED, STORE_UNAVAILABLE */
  ask<Result>(port: string, verb: string, args: readonly unknown[]): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#end !== undefined) throw this.#end;
      this.#lastId += 1;
      this.#calls.set(this.#lastId, { port, resolve: resolve as Call['resolve'], reject });
      this.#worker.ref();
      this.#worker.postMessage({ id: this.#lastId, port, verb, args } satisfies ToStoreThread);
    });
  }

  #settle(message: FromStoreThread): void {
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if ('result' in message) {
      if (call !== undefined && this.#faults.size > 0) this.#faults.delete(call.port);
      call?.resolve(message.result);
    } else {
      if (message.code === 'STORE_UNAVAILABLE' && call !== undefined)
        this.#faults.set(call.port, {
          sentence: message.message,
          until: systemClock.monotonic() + FAULT_TOLD_MS,
        });
      call?.reject(new ReachError(message.code, message.message));
    }
    // A thread that has nothing to do keeps no process alive; one that closes does, until it is gone.
    if (this.#calls.size === 0 && this.#end === undefined) this.#worker.unref();
  }

  #fail(why: string): void {
    const error = new ReachError('STORE_UNAVAILABLE', `${this.#paths} cannot be used: ${why}.`);
    if (this.#end === undefined) {
      this.#faults.set('thread', { sentence: error.message, until: Number.POSITIVE_INFINITY });
    }
    this.#end ??= error;
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}
