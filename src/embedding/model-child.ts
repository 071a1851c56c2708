import { type ChildProcess, fork } from 'node:child_process';
import { builtEntry } from '../built-entry.js';
import type { Clock } from '../clock.js';
import { QuietTime } from '../quiet-time.js';
import type { HeldText, Line } from './embed-call.js';
import type { ModelFolder } from './model-folder.js';
import type { FromModelProcess, TextMessage, ToModelProcess } from './model-messages.js';

/** A process that has not loaded its model after this long never will. */
const LOAD_LIMIT_MS = 120_000;
/** A process that holds texts and says nothing for this long hangs. The part by characters is for long texts. */
const SILENCE_LIMIT_MS = 60_000;
const SILENCE_LIMIT_PER_CHAR_MS = 5;
/** How much of what a process wrote to stderr is kept to explain its end. */
const STDERR_CHARS = 2_000;

export interface ModelChildEvents {
  ready(): void;
  /** Some texts were answered, so there is room for more. */
  answered(): void;
  /** A text was refused by the model, which lives on. */
  failed(text: HeldText, detail: string): void;
  /** The process is gone, for whatever reason; `held` are the texts it took along. Comes once, last. */
  ended(detail: string, held: readonly HeldText[]): void;
}

/** One model process, from its start to its end, and the texts it holds. */
export class ModelChild {
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #events: ModelChildEvents;
  readonly #held = new Map<number, HeldText>();
  #heldChars = 0;
  readonly #heldOf = { urgent: 0, long: 0, bulk: 0 };
  #lastId = 0;
  #loaded = false;
  #fault: string | undefined;
  #stderr = '';
  readonly #silence: QuietTime;

  constructor(folder: ModelFolder, clock: Clock, events: ModelChildEvents) {
    this.#events = events;
    this.#silence = new QuietTime(clock, LOAD_LIMIT_MS, (limitMs) => {
      this.#fault ??= `it gave no sign of life for ${Math.round(limitMs / 1000)} s`;
      this.kill();
    });
    this.#child = fork(builtEntry('embedding/model-process.js'), [], {
      // Not the service's own Node flags: a loader or a debugger port is not for this process. A small young
      // generation keeps what tokenising leaves behind from piling up.
      execArgv: ['--max-semi-space-size=2'],
      // Its threads share two heaps in place of one each, which keeps less memory that nobody uses (glibc).
      env: { ...process.env, MALLOC_ARENA_MAX: '2' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.ended = new Promise((resolve) => {
      // 'close' and not 'exit': what the process answered before its end has arrived by then.
      this.#child.once('close', (code, signal) => {
        this.#end(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`);
        resolve();
      });
      this.#child.on('error', (error) => {
        this.#fault ??= error.message;
        // A process that could not be started does not close.
        if (this.#child.pid === undefined) {
          this.#end('it could not be started');
          resolve();
        }
      });
    });
    this.#child.on('message', (message: FromModelProcess) => this.#receive(message));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    this.#send({ type: 'load', path: folder.path, description: folder.description });
    this.#silence.restart();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Texts in the process. */
  get held(): readonly HeldText[] {
    return [...this.#held.values()];
  }

  heldCount(line: Line): number {
    return this.#heldOf[line];
  }

  hand(texts: readonly HeldText[]): void {
    if (texts.length === 0) return;
    const owedNothing = this.#held.size === 0;
    const messages = texts.map((held): TextMessage => {
      this.#lastId += 1;
      this.#held.set(this.#lastId, held);
      this.#heldChars += held.text.length;
      const { kind, line } = held.call;
      this.#heldOf[line] += 1;
      return { id: this.#lastId, text: held.text, kind, bulk: line !== 'urgent' };
    });
    this.#send({ type: 'texts', texts: messages });
    // A process that owes something already has its time from when it last showed that it lives.
    if (owedNothing) this.#silence.restart(this.#silenceLimitMs);
    else this.#silence.allow(this.#silenceLimitMs);
  }

  /** Ends the process at once; `events.ended` follows. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(message: ToModelProcess): void {
    // A process that is gone says so by 'close'; the failed write adds nothing to that.
    this.#child.send(message, () => {});
  }

  #receive(message: FromModelProcess): void {
    switch (message.type) {
      case 'ready':
        this.#loaded = true;
        this.#silence.cancel();
        this.#events.ready();
        break;
      case 'refused':
        this.#fault = message.detail;
        this.kill();
        break;
      case 'vectors': {
        const dim = message.vectors.length / message.ids.length;
        for (const [position, id] of message.ids.entries()) {
          const held = this.#release(id);
          // A copy: the received array is a view that would keep the whole message in memory.
          held?.call.answer(held.index, message.vectors.slice(position * dim, (position + 1) * dim));
        }
        this.#events.answered();
        break;
      }
      case 'failed':
        for (const id of message.ids) {
          const held = this.#release(id);
          if (held !== undefined) this.#events.failed(held, message.detail);
        }
        this.#events.answered();
        break;
    }
    this.#silence.restart(this.#silenceLimitMs);
  }

  #release(id: number): HeldText | undefined {
    const held = this.#held.get(id);
    if (held === undefined) return undefined;
    this.#held.delete(id);
    this.#heldChars -= held.text.length;
    this.#heldOf[held.call.line] -= 1;
    return held;
  }

  /** How long the process may be silent: for ever where it owes nothing. */
  get #silenceLimitMs(): number {
    if (!this.#loaded) return LOAD_LIMIT_MS;
    if (this.#held.size === 0) return Number.POSITIVE_INFINITY;
    return SILENCE_LIMIT_MS + this.#heldChars * SILENCE_LIMIT_PER_CHAR_MS;
  }

  #end(how: string): void {
    this.#silence.cancel();
    const held = this.held;
    this.#held.clear();
    const reason = this.#fault ?? this.#stderr.trim();
    this.#events.ended(reason === '' ? how : `${how}: ${reason}`, held);
  }
}
