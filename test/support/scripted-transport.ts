import type {
  AgentAnswer,
  AgentCall,
  AgentTransport,
  CallListener,
} from '../../src/transport/agent-transport.js';

/** A transport whose agents answer as told; keeps what they were asked, and what was taken back. */
export class ScriptedTransport implements AgentTransport {
  readonly calls: AgentCall[] = [];
  readonly cancelled: string[] = [];
  readonly #answer: (call: AgentCall, listener: CallListener) => AgentAnswer | Promise<AgentAnswer>;

  constructor(answer: (call: AgentCall, listener: CallListener) => AgentAnswer | Promise<AgentAnswer>) {
    this.#answer = answer;
  }

  async call(call: AgentCall, listener: CallListener): Promise<AgentAnswer> {
    this.calls.push(call);
    return this.#answer(call, listener);
  }

  async cancel({ address }: Pick<AgentCall, 'address'>): Promise<void> {
    this.cancelled.push(address);
  }

  async close(): Promise<void> {}
}
