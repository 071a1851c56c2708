import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentDoor, listenOn } from './agent-door.js';
import {
  type AgentSettings,
  placeOf,
  type ServeAgentOptions,
  servicesOf,
  settingsOf,
} from './agent-settings.js';
import { BeatThread } from './beat-thread.js';
import { Executions } from './executions.js';
import { LateReplies } from './late-replies.js';
import type { MembershipState } from './membership.js';
import { onSigterm } from './on-sigterm.js';
import { Refusal } from './refusal.js';
import { WorkCount } from './work-count.js';

/** `draining`: it finishes what it has and takes nothing new. */
export type AgentState = MembershipState | 'draining' | 'closed';

/** An agent that can be called. */
export interface ServedAgent {
  readonly port: number;
  readonly address: string;
  readonly instanceId: string;
  readonly state: AgentState;
  /** Resolves when it has ended, whatever ended it. */
  readonly closed: Promise<void>;
  /**
   * Publishes and registers with a service from now on, as `reach` does from the start: once, and not any more when it
   * ends.
   * @throws TypeError where it has no URL, or the agent's address cannot be known; Error the second time
   */
  join(reach: string | readonly string[]): void;
  /** Drains, leaves the service and closes, as SIGTERM does. */
  close(): Promise<void>;
}

const PAUSED_RETRY_S = 2;
const DRAINING_RETRY_S = 1;

/**
 * Serves an agent over HTTP: `POST execute_endpoint`, `GET health_endpoint`, `POST /probe` and `POST /cancel`. With `reach` it is
 * published and registered there, and leaves when it ends; while the service is away it serves all the same.
 * Rejects as `listen` does, with the code `EADDRINUSE` where the port is taken.
 * @throws TypeError where the options do not fit together
 */
export async function serveAgent(options: ServeAgentOptions): Promise<ServedAgent> {
  const settings = settingsOf(options);
  settings.signal?.throwIfAborted();
  const unhandled = settings.manifest.capabilities.filter(({ id }) => !Object.hasOwn(settings.handlers, id));
  for (const { id } of unhandled) settings.logger.warn(`The capability ${id} of the manifest has no handler`);
  return new Agent(settings, await listenOn(settings.port, settings.host));
}

class Agent implements ServedAgent {
  readonly port: number;
  readonly address: string;
  readonly instanceId: string;
  readonly closed: Promise<void>;
  readonly #settings: AgentSettings;
  readonly #startedAt = Date.now();
  readonly #work = new WorkCount();
  readonly #executions: Executions;
  readonly #door: AgentDoor;
  readonly #lateReplies: LateReplies;
  #beats: BeatThread | undefined;
  readonly #ending = new AbortController();
  #isClosed = false;

  constructor(settings: AgentSettings, server: Server) {
    const { manifest, handlers, logger, signal } = settings;
    const place = placeOf(settings, (server.address() as AddressInfo).port);
    this.port = place.port;
    this.address = place.address;
    this.instanceId = place.instanceId;
    this.#settings = settings;
    this.#executions = new Executions({
      handlers,
      maxConcurrency: manifest.dependencies?.max_concurrency,
      onFailure: (capabilityId, error) => logger.error(`The capability ${capabilityId} failed`, error),
      onPending: (pending) => this.#beats?.setPending(pending),
      work: this.#work,
    });
    this.#lateReplies = new LateReplies(this.#work, logger);
    this.#door = new AgentDoor(server, {
      manifest,
      executions: this.#executions,
      lateReplies: this.#lateReplies,
      work: this.#work,
      refused: () => this.#refused(),
      probed: () => ({ instance_id: this.instanceId, state: this.state }),
      onFailure: (error) => logger.error('A call could not be answered', error),
    });
    if (settings.reach.length > 0) this.join(settings.reach);
    const close = () => this.#ending.abort();
    signal?.addEventListener('abort', close, { once: true });
    const forgetSigterm = onSigterm(close);
    this.closed = once(this.#ending.signal, 'abort').then(async () => {
      await this.#end();
      forgetSigterm();
      signal?.removeEventListener('abort', close);
    });
  }

  get state(): AgentState {
    if (this.#isClosed) return 'closed';
    if (this.#ending.signal.aborted) return 'draining';
    return this.#beats?.state ?? 'unregistered';
  }

  join(endpoints: string | readonly string[]): void {
    const reach = servicesOf(endpoints, this.#settings);
    if (this.#beats !== undefined) throw new Error('The agent has joined a service already.');
    if (this.#ending.signal.aborted) return;
    const { manifest, weight, region, labels, version, logger } = this.#settings;
    const { address, instanceId } = this;
    const registration = { address, incarnation: this.#startedAt, weight, region, labels, version };
    this.#beats = new BeatThread({ reach, manifest, instanceId, registration }, logger);
    this.#beats.setPending(this.#executions.pending);
  }

  close(): Promise<void> {
    this.#ending.abort();
    return this.closed;
  }

  #refused(): Refusal | undefined {
    const { state } = this;
    if (state === 'paused') {
      return new Refusal('NOT_READY', 'The agent is paused.', { retryAfterS: PAUSED_RETRY_S });
    }
    if (state === 'draining' || state === 'closed') {
      return new Refusal('CLOSED', 'The agent takes nothing new.', { retryAfterS: DRAINING_RETRY_S });
    }
    return undefined;
  }

  async #end(): Promise<void> {
    await this.#beats?.drain();
    await this.#work.idle(this.#settings.drainMs);
    this.#executions.abort();
    await this.#lateReplies.close();
    await this.#beats?.leave();
    await this.#door.close();
    this.#isClosed = true;
  }
}
