/** Counts the events of a stream of server-sent events as they come. */
export class EventCounter {
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #counts = new Map<string, number>();

  private constructor(answer: Response) {
    this.#ended = this.#read(answer);
  }

  /** Listens from now on. */
  static async listen(url: string): Promise<EventCounter> {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} was answered ${answer.status}.`);
    return new EventCounter(answer);
  }

  /** Events of this kind so far. */
  count(event: string): number {
    return this.#counts.get(event) ?? 0;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #read(answer: Response): Promise<void> {
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    this.#stop.signal.addEventListener('abort', () => reader?.cancel());
    let unread = '';
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) return;
      const lines = (unread + value).split('\n');
      unread = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
    }
  }

  #take(line: string): void {
    const event = /^event: (\w+)$/.exec(line)?.[1];
    if (event !== undefined) this.#counts.set(event, this.count(event) + 1);
  }
}
