import { AskedProcess } from './asked-process.js';
import type { FleetAnswer, FleetMember, FleetOrder, FleetReport } from './fleet-process.js';

/** Instances of agents that do nothing but register, beat and answer probes, in a process of their own. */
export class Fleet {
  readonly #process = new AskedProcess<FleetOrder, FleetAnswer>('./fleet-process.ts');
  readonly #service: string;
  #before: Promise<unknown> = Promise.resolve();

  /** `service`: like http://127.0.0.1:8080 */
  constructor(service: string) {
    this.#service = service;
  }

  join(members: readonly FleetMember[]): Promise<FleetReport> {
    return this.#ask({ kind: 'join', service: this.#service, members });
  }

  /** Ends members without a word, as `kill -9` would. */
  kill(members: readonly FleetMember[]): Promise<FleetReport> {
    return this.#ask({ kind: 'kill', members });
  }

  /** Starts killed members again, at their old address where that is still free. */
  restart(members: readonly FleetMember[]): Promise<FleetReport> {
    return this.#ask({ kind: 'restart', members });
  }

  /** Gives members another address while they run. */
  move(members: readonly FleetMember[]): Promise<FleetReport> {
    return this.#ask({ kind: 'move', members });
  }

  leave(members: readonly FleetMember[]): Promise<FleetReport> {
    return this.#ask({ kind: 'leave', members });
  }

  counts(): Promise<FleetReport> {
    return this.#ask({ kind: 'count' });
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  /** One order after the other, whoever gives them. */
  async #ask(order: FleetOrder): Promise<FleetReport> {
    const answered = this.#before.then(() => this.#process.ask(order));
    this.#before = answered.catch(() => undefined);
    const answer = await answered;
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }
}

/** `count` members, evenly over `agents` agents. */
export function fleetMembers(count: number, agents: number): FleetMember[] {
  return Array.from({ length: count }, (_, index) => ({
    agentName: `fleet-${index % agents}`,
    instanceId: `i${index}`,
  }));
}
