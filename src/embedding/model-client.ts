import { type Clock, systemClock } from '../clock.js';
import { ReachError } from '../errors.js';
import { EmbedCall, type Line } from './embed-call.js';
import { EmbedQueue } from './embed-queue.js';
import type { Embedder, EmbedderStatus, EmbedOptions, ModelIdentity, TextKind } from './embedder.js';
import { ModelChild } from './model-child.js';
import type { ModelFolder } from './model-folder.js';

/** What the process may hold of each line: enough to fill batches; it is what a crash can cost. */
const MAX_HELD_TEXTS: Readonly<Record<Line, number>> = { urgent: 32, long: 1, bulk: 32 };
/** Bounds how long the process is busy with tokenising what it was just handed. */
const MAX_HANDED_CHARS = 16_000;
/** By then the next process is mostly ready. */
const RESTARTED_MS = 2_000;
/** After a process that died before it was ready: 0.1 s, then twice as long each time, up to this. */
const MAX_RESTART_DELAY_MS = 5_000;

/** `failures`: processes in a row that died before they were ready. */
type State =
  | { readonly name: 'starting'; readonly child: ModelChild }
  | { readonly name: 'ready'; readonly child: ModelChild }
  | { readonly name: 'restarting'; readonly child: ModelChild; readonly failures: number }
  | { readonly name: 'delayed'; readonly cancel: () => void }
  | { readonly name: 'closed'; readonly reason: ReachError };

export interface ModelClientOptions {
  readonly clock?: Clock;
  /** Told of every end of the process that was not asked for: one sentence for the log. */
  readonly onInterruption?: (detail: string) => void;
}

/**
 * The model in a process of its own, started at once and started again whenever it dies: a crash costs the
 * texts the process held, all others wait for the next one.
 */
export class ModelClient implements Embedder {
  readonly model: ModelIdentity;
  /**
   * Resolves when the first process is ready; texts may be given before.
   * Rejects with ReachError MODEL_INVALID where it does not come up, after which the client is closed.
   */
  readonly ready: Promise<void>;
  readonly #folder: ModelFolder;
  readonly #clock: Clock;
  readonly #onInterruption: (detail: string) => void;
  readonly #queue = new EmbedQueue();
  #state: State;
  #restarts = 0;
  #closing: Promise<void> | undefined;
  #settleReady: { resolve: () => void; reject: (error: ReachError) => void } = {
    resolve: () => {},
    reject: () => {},
  };

  constructor(
    folder: ModelFolder,
    { clock = systemClock, onInterruption = () => {} }: ModelClientOptions = {},
  ) {
    this.model = folder.identity;
    this.#folder = folder;
    this.#clock = clock;
    this.#onInterruption = onInterruption;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    // Who does not wait for the start learns of its failure from embed().
    this.ready.catch(() => {});
    this.#state = { name: 'starting', child: this.#spawn() };
  }

  async embed(
    texts: readonly string[],
    kind: TextKind,
    { signal, bulk = false }: EmbedOptions = {},
  ): Promise<Float32Array[]> {
    if (this.#state.name === 'closed') throw this.#state.reason;
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    const call = new EmbedCall(texts, kind, bulk);
    this.#queue.add(call);
    this.#feed();
    if (signal === undefined) return call.result;
    const abandon = () => this.#queue.fail(call, signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    try {
      return await call.result;
    } finally {
      signal.removeEventListener('abort', abandon);
    }
  }

  status(): EmbedderStatus {
    const { name } = this.#state;
    return {
      state: name === 'delayed' ? 'restarting' : name,
      model: this.model,
      restarts: this.#restarts,
      pending: this.#queue.waiting + (this.#child?.held.length ?? 0),
    };
  }

  /** The process that holds the model now; for who wants to see or end it from outside. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut(new ReachError('CLOSED', 'The embedder is closed.'));
    return this.#closing;
  }

  get #child(): ModelChild | undefined {
    return 'child' in this.#state ? this.#state.child : undefined;
  }

  async #shut(reason: ReachError): Promise<void> {
    const child = this.#child;
    if (this.#state.name === 'delayed') this.#state.cancel();
    this.#state = { name: 'closed', reason };
    this.#settleReady.reject(reason);
    for (const { call } of child?.held ?? []) this.#queue.fail(call, reason);
    this.#queue.failAll(reason);
    child?.kill();
    await child?.ended;
  }

  #spawn(): ModelChild {
    return new ModelChild(this.#folder, this.#clock, {
      ready: () => this.#becomeReady(),
      answered: () => this.#feed(),
      failed: ({ call }, detail) =>
        this.#queue.fail(call, new ReachError('INTERNAL', `The model failed on a text: ${detail}.`)),
      ended: (detail, held) => {
        if (this.#state.name === 'closed') return;
        const sentence = `The embedding process ended: ${detail}.`;
        const lost = new ReachError('EMBEDDING_INTERRUPTED', sentence, { retryAfterMs: RESTARTED_MS });
        for (const { call } of held) this.#queue.fail(call, lost);
        this.#recover(detail);
      },
    });
  }

  #becomeReady(): void {
    if (this.#state.name !== 'starting' && this.#state.name !== 'restarting') return;
    this.#state = { name: 'ready', child: this.#state.child };
    this.#settleReady.resolve();
    this.#feed();
  }

  #recover(detail: string): void {
    switch (this.#state.name) {
      case 'starting': {
        // The very first process says whether the model works at all.
        const sentence = `The embedding process for ${this.#folder.path} did not start: ${detail}.`;
        this.#closing = this.#shut(new ReachError('MODEL_INVALID', sentence));
        return;
      }
      case 'ready':
        this.#onInterruption(detail);
        this.#restart(0);
        return;
      case 'restarting': {
        this.#onInterruption(detail);
        const failures = this.#state.failures + 1;
        const delayMs = Math.min(MAX_RESTART_DELAY_MS, 100 * 2 ** (failures - 1));
        this.#state = { name: 'delayed', cancel: this.#clock.after(delayMs, () => this.#restart(failures)) };
        return;
      }
    }
  }

  #restart(failures: number): void {
    this.#restarts += 1;
    this.#state = { name: 'restarting', child: this.#spawn(), failures };
  }

  #feed(): void {
    if (this.#state.name !== 'ready' || this.#queue.waiting === 0) return;
    const { child } = this.#state;
    const take = (line: Line) =>
      this.#queue.take(line, MAX_HELD_TEXTS[line] - child.heldCount(line), MAX_HANDED_CHARS);
    child.hand([...take('urgent'), ...take('long'), ...take('bulk')]);
  }
}
