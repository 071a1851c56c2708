import type { Delivery, RequestLife } from '../../src/requests/request-life.js';
import { mayFollow, type OpenState } from '../../src/requests/request-state.js';
import type { FinalAnswer } from '../../src/transport/agent-transport.js';

export interface LifeOptions extends Partial<Omit<RequestLife, 'enter' | 'late'>> {
  /** Whether agents may answer later. */
  readonly takesReplies?: boolean;
}

/** The life of a request in memory, with all that it was told. A step that the diagram does not have is an error. */
export class MemoryLife implements RequestLife {
  readonly requestId: string;
  readonly mode: RequestLife['mode'];
  readonly traceparent: string | undefined;
  readonly signal: RequestLife['signal'];
  readonly acceptedAt: number;
  readonly earlier: Delivery | undefined;
  readonly states: OpenState[] = ['queued'];
  readonly deliveries: Delivery[] = [];
  readonly places: number[] = [];
  readonly told: { readonly progress?: unknown; readonly delta?: unknown }[] = [];
  /** Attempts whose answer nobody waits for any more. */
  readonly givenUp: number[] = [];
  readonly #takesReplies: boolean;
  readonly #beforeDelivery: RequestLife['deliver'];
  readonly #answers = new Map<number, (answer: FinalAnswer) => void>();

  constructor(options: LifeOptions = {}) {
    this.requestId = options.requestId ?? 'rq-1';
    this.mode = options.mode ?? 'sync';
    this.traceparent = options.traceparent;
    this.signal = options.signal;
    this.acceptedAt = options.acceptedAt ?? performance.now();
    this.earlier = options.earlier;
    this.#takesReplies = options.takesReplies ?? false;
    this.#beforeDelivery = options.deliver ?? (() => undefined);
  }

  enter(state: OpenState): void {
    const before = this.states.at(-1) ?? 'queued';
    if (!mayFollow(before, state) && !(before === 'queued' && state === 'queued'))
      throw new Error(`${state} does not follow ${before}`);
    this.states.push(state);
  }

  deliver(delivery: Delivery): Promise<void> | undefined {
    this.enter('delivered');
    this.deliveries.push(delivery);
    return this.#beforeDelivery(delivery);
  }

  queuedAt(place: number): void {
    this.places.push(place);
  }

  progress(progress: unknown): void {
    this.told.push({ progress });
  }

  delta(delta: unknown): void {
    this.told.push({ delta });
  }

  late(attempt: number): ReturnType<RequestLife['late']> {
    if (!this.#takesReplies) return undefined;
    return {
      replyTo: `http://127.0.0.1:1/reply/${attempt}`,
      answer: new Promise((resolve) => this.#answers.set(attempt, resolve)),
      giveUp: () => void this.givenUp.push(attempt),
    };
  }

  /** The agent answers an attempt that it had taken for later. */
  reply(attempt: number, answer: FinalAnswer): void {
    this.#answers.get(attempt)?.(answer);
  }
}
