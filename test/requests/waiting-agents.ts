import type {
  AgentAnswer,
  AgentCall,
  AgentTransport,
  CallListener,
} from '../../src/transport/agent-transport.js';
import type { HandClock } from '../support/hand-clock.js';

/** A call that an agent has not answered yet. */
export interface OpenCall {
  readonly call: AgentCall;
  readonly listener: CallListener;
  /** It is answered so, once. */
  answer(answer: AgentAnswer): void;
}

/** Agents that answer when a test says so, or never; a call ends by its signal and its deadline as over HTTP. */
export class WaitingAgents implements AgentTransport {
  readonly open: OpenCall[] = [];
  /** Told of each call as it begins. */
  onCall: (call: AgentCall) => void = () => {};
  readonly #clock: HandClock;

  constructor(clock: HandClock) {
    this.#clock = clock;
  }

  call(call: AgentCall, listener: CallListener): Promise<AgentAnswer> {
    this.onCall(call);
    return new Promise((resolve) => {
      const answer = (given: AgentAnswer) => {
        const place = this.open.indexOf(opened);
        if (place === -1) return;
        this.open.splice(place, 1);
        stopTimer();
        call.signal?.removeEventListener('abort', cancelled);
        resolve(given);
      };
      const cancelled = () => answer({ kind: 'cancelled' });
      const stopTimer = this.#clock.after(call.timeoutMs, () =>
        answer({
          ...{ kind: 'timeout', code: 'DEADLINE_EXCEEDED', detail: 'too late' },
          ...{ unreached: false, mayHaveExecuted: true, retryAfterMs: undefined },
        }),
      );
      const opened: OpenCall = { call, listener, answer };
      this.open.push(opened);
      call.signal?.addEventListener('abort', cancelled, { once: true });
    });
  }

  async cancel(): Promise<void> {}

  async close(): Promise<void> {}
}
