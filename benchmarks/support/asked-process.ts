import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The process is TypeScript too, whoever starts it. */
const LOADER = ['--import', 'tsx'];

/** A process that answers each message with one, asked one thing at a time; it ends when its channel is closed. */
export class AskedProcess<Order extends object, Answer> {
  readonly #process: ChildProcess;

  /** `file`: in this folder. */
  constructor(file: string) {
    const path = fileURLToPath(new URL(file, import.meta.url));
    this.#process = fork(path, { execArgv: LOADER, serialization: 'advanced' });
  }

  async ask(order: Order): Promise<Answer> {
    const answered = once(this.#process, 'message');
    this.#process.send(order);
    const [answer] = await answered;
    return answer;
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }
}
