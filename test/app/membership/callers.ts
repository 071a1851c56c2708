import type { DispatchAnswer } from 'agent-reach-sdk';
import { type InstanceState, takesWork } from '../../../src/health/instance-view.js';
import type { WhenOver } from './http-instance.js';
import type { ServiceUser } from './service-user.js';

/** A caller's next call, after the answer to the one before. */
const PAUSE_MS = 20;
/** No machine is too busy for these tests. */
const DEADLINES = { seekMs: 30_000, executeMs: 30_000 };

interface CallersOptions {
  readonly count?: number;
  readonly payload?: Record<string, unknown>;
}

/** Who call an agent all along, each one call after the other, and compare what works with what is listed. */
export class Callers {
  /** Of all callers. */
  static readonly compared = { count: 0, contradictions: [] as string[] };

  /** What each caller was answered, in order. */
  readonly answers: readonly DispatchAnswer[][];
  readonly #user: ServiceUser;
  readonly #agentName: string;
  readonly #payload: Record<string, unknown>;
  readonly #calling: Promise<unknown>;
  #isOver = false;

  constructor(user: ServiceUser, agentName: string, whenOver: WhenOver, options: CallersOptions = {}) {
    const { count = 4, payload = {} } = options;
    this.#user = user;
    this.#agentName = agentName;
    this.#payload = payload;
    this.answers = Array.from({ length: count }, () => []);
    whenOver(() => void this.end());
    this.#calling = Promise.all(this.answers.map((own) => this.#callAllAlong(own)));
  }

  /** The attempts of a caller that failed. */
  failedAttempts(own: readonly DispatchAnswer[]) {
    return own.flatMap(({ attempts }) => attempts).filter(({ outcome }) => outcome !== 'completed');
  }

  /** Lets the calls that run end. Requests that were lost are those that did not complete. */
  async end(): Promise<{ lost: DispatchAnswer[]; failedOfEach: number[] }> {
    this.#isOver = true;
    await this.#calling;
    return {
      lost: this.answers.flat().filter(({ state }) => state !== 'completed'),
      failedOfEach: this.answers.map((own) => this.failedAttempts(own).length),
    };
  }

  async #callAllAlong(own: DispatchAnswer[]): Promise<void> {
    while (!this.#isOver) {
      own.push(await this.#callAndCompare());
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Whoever is listed as out before and after a call, and all the time between, cannot have completed it. */
  async #callAndCompare(): Promise<DispatchAnswer> {
    const before = await this.#listed();
    const options = { agentName: this.#agentName, deadlines: DEADLINES };
    const answer = await this.#user.reach.dispatch(null, this.#payload, options);
    const after = await this.#listed();
    const worked = answer.attempts.find(({ outcome }) => outcome === 'completed')?.instanceId ?? '';
    const [then, now] = [before.get(worked), after.get(worked)];
    Callers.compared.count += 1;
    if (then !== undefined && then === now) {
      Callers.compared.contradictions.push(`${worked} completed a call, and is listed as ${now}`);
    }
    return answer;
  }

  /** Of each instance that is listed as taking no work: its state, and since when. */
  async #listed(): Promise<ReadonlyMap<string, string>> {
    const instances = await this.#user.instances(this.#agentName);
    const out = instances.filter(({ state }) => !takesWork(state as InstanceState));
    return new Map(out.map(({ instance_id: id, state, since }) => [id, `${state} since ${since}`]));
  }
}
