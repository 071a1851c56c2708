import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../backoff.js';
import { ReachClientError } from '../client/reach-client-error.js';
import { ServiceCalls } from '../client/service-calls.js';
import type { Heartbeat, HeartbeatAnswer, Registration } from '../wire/instances.js';
import type { ManifestDocument } from '../wire/manifest.js';

/** What one membership is about; can be sent to another thread. */
export interface MembershipSetup {
  /** Addresses of one service, tried in turn; at least one. */
  readonly reach: readonly string[];
  readonly manifest: ManifestDocument;
  readonly instanceId: string;
  readonly registration: Registration;
}

/**
 * How an instance stands with its service. `unregistered`: the service does not know of it, or not any more;
 * `replaced`: another program has its place, for good.
 */
export type MembershipState = 'unregistered' | 'up' | 'paused' | 'replaced';

interface MembershipHooks {
  /** What the next beat tells of the work. */
  readonly measured: () => Pick<Heartbeat, 'pending' | 'load'>;
  readonly onState: (state: MembershipState) => void;
  readonly onLog: (level: 'info' | 'warn', message: string) => void;
}

/** A third of the shortest lease, so that one call that hangs costs no lease. */
const CALL_MS = 5_000;
/** How long a service may take to be told that the agent drains, or that it leaves. */
const FAREWELL_MS = 2_000;
/** The share of an interval by which a beat may come earlier than asked for: fleets must not beat in step. */
const JITTER = 0.1;
/** A service that is away for fewer tries in a row is not worth a line in a log: it starts, or is restarted. */
const TOLD_FAILURES = 3;
/** No answer makes a beat come sooner than this. */
const SHORTEST_INTERVAL_MS = 50;

/**
 * Keeps an instance registered with its service: publishes and registers, beats as often as it is asked to, obeys
 * commands, does all of it again where the service has forgotten it, and keeps trying while the service is away.
 */
export class Membership {
  readonly #setup: MembershipSetup;
  readonly #hooks: MembershipHooks;
  readonly #services: readonly ServiceCalls[];
  readonly #path: string;
  readonly #end = new AbortController();
  /** Grows whenever the service cannot answer; which of its addresses is asked is the remainder. */
  #unanswered = 0;
  #state: MembershipState = 'unregistered';
  #draining = false;
  /** Whether a registration was ever sent, so that there may be something to leave. */
  #announced = false;
  #seq = 0;
  /** Codes of what was complained of since the last success: a lasting fault is told once. */
  readonly #complaints = new Set<string>();

  constructor(setup: MembershipSetup, hooks: MembershipHooks) {
    this.#setup = setup;
    this.#hooks = hooks;
    this.#services = setup.reach.map((endpoint) => new ServiceCalls(endpoint, CALL_MS));
    const [agent, instance] = [setup.manifest.agent_name, setup.instanceId].map(encodeURIComponent);
    this.#path = `agents/${agent}/instances/${instance}`;
  }

  /** Resolves when it has left, or was replaced. */
  async run(): Promise<void> {
    for (let failures = 0; !this.#end.signal.aborted && this.#state !== 'replaced'; ) {
      try {
        const { nextHeartbeatMs } = await (this.#state === 'unregistered' ? this.#register() : this.#beat());
        this.#complaints.clear();
        failures = 0;
        await this.#wait(Math.max(SHORTEST_INTERVAL_MS, nextHeartbeatMs) * (1 - JITTER * Math.random()));
      } catch (error) {
        if (this.#end.signal.aborted) return;
        failures += 1;
        await this.#failed(asClientError(error), failures);
      }
    }
  }

  /** Tells the service that nothing new is taken; beats go on until `leave`. */
  async drain(): Promise<void> {
    this.#draining = true;
    if (this.#state === 'up' || this.#state === 'paused') await this.#farewell('POST', '/drain');
  }

  /** Ends the beats and leaves the service cleanly, if it can be reached. */
  async leave(): Promise<void> {
    this.#end.abort();
    if (this.#announced && this.#state !== 'replaced') await this.#farewell('DELETE', '');
  }

  async #register(): Promise<HeartbeatAnswer> {
    const { registration, instanceId } = this.#setup;
    await this.#publish();
    const body = this.#draining ? { ...registration, draining: true } : registration;
    this.#announced = true;
    const { signal } = this.#end;
    const answer = await this.#service.json<HeartbeatAnswer>('PUT', this.#path, { body, signal });
    this.#become('up');
    this.#hooks.onLog('info', `Registered as ${instanceId} at ${body.address}`);
    return answer;
  }

  /** A manifest that is refused is told, and the instance registers all the same: what the service has then counts. */
  async #publish(): Promise<void> {
    const { manifest: document } = this.#setup;
    const path = `agents/${encodeURIComponent(document.agent_name)}/manifest`;
    try {
      await this.#service.json('PUT', path, { document, signal: this.#end.signal });
    } catch (thrown) {
      const error = asClientError(thrown);
      if (error.retryable) throw thrown;
      if (error.code === 'MANIFEST_MANAGED_BY_FOLDER') return;
      this.#complain(error.code, `The manifest was not published: ${error.message}`);
    }
  }

  async #beat(): Promise<HeartbeatAnswer> {
    const { incarnation } = this.#setup.registration;
    this.#seq += 1;
    const working = this.#state === 'paused' ? 'paused' : 'up';
    const state = this.#draining ? 'draining' : working;
    const body: Heartbeat = { state, ...this.#hooks.measured(), seq: this.#seq, incarnation };
    const { signal } = this.#end;
    const answer = await this.#service.json<HeartbeatAnswer>('POST', `${this.#path}/heartbeat`, {
      body,
      signal,
    });
    // A pause holds as long as it is asked for: after a restart a service does not know of it.
    this.#become(answer.commands?.includes('pause') ? 'paused' : 'up');
    return answer;
  }

  get #service(): ServiceCalls {
    return this.#services[this.#unanswered % this.#services.length] as ServiceCalls;
  }

  async #failed(error: ReachClientError, failures: number): Promise<void> {
    const { code, message, retryable, retryAfterMs = 0 } = error;
    if (code === 'INSTANCE_REPLACED') {
      this.#complain(code, `Another program has the place of ${this.#setup.instanceId}: ${message}`);
      this.#become('replaced');
      return;
    }
    if (code === 'INSTANCE_UNKNOWN') {
      this.#become('unregistered');
      if (failures === 1) return;
    }
    if (retryable) this.#unanswered += 1;
    if (!retryable || failures >= TOLD_FAILURES) {
      this.#complain(code, `The service cannot be told of this agent, which keeps trying: ${message}`);
    }
    await this.#wait(retryAfterMs + backoffMs(failures));
  }

  #complain(code: string, message: string): void {
    if (this.#complaints.has(code)) return;
    this.#complaints.add(code);
    this.#hooks.onLog('warn', message);
  }

  #become(state: MembershipState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#hooks.onState(state);
  }

  async #wait(durationMs: number): Promise<void> {
    await sleep(durationMs, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }

  /** One try, since an agent that ends does not wait; what does not know it any more has nothing to be told. */
  async #farewell(method: string, call: string): Promise<void> {
    // An older program must not take the place away from the one that has it now.
    const path = `${this.#path}${call}?incarnation=${this.#setup.registration.incarnation}`;
    try {
      await this.#service.json(method, path, { signal: AbortSignal.timeout(FAREWELL_MS) });
    } catch (thrown) {
      const { code, message, status } = asClientError(thrown);
      if (status !== 404) this.#complain(code, `The service was not told of the end: ${message}`);
    }
  }
}

function asClientError(thrown: unknown): ReachClientError {
  if (thrown instanceof ReachClientError) return thrown;
  return new ReachClientError('INTERNAL', String(thrown), { cause: thrown });
}
