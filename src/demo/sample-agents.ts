import type { ManifestDocument } from 'agent-reach-sdk';
import { asReachError } from '../errors.js';
import { parsedUrl } from '../parsed-url.js';
import { type AgentProcess, startAgentProcess } from './agent-process.js';
import type { AgentProcessOrder } from './agent-process-message.js';
import { SAMPLE_PROGRAMS } from './sample-programs.js';

/** A sample agent to start: its manifest, and the static instance there in whose place it registers. */
export interface SampleAgentPlace {
  readonly agentName: string;
  readonly manifest: ManifestDocument;
  readonly instanceId: string;
  readonly address: string;
}

/** A process that ended by itself. */
export interface SampleAgentDeath {
  readonly agentName: string;
  /** How it ended, such as `signal SIGKILL`. */
  readonly detail: string;
  /** False when it died so often in a row that it is given up. */
  readonly restarting: boolean;
}

export interface SampleAgentsOptions {
  readonly onDeath: (death: SampleAgentDeath) => void;
}

/** The running sample agents. */
export interface SampleAgents {
  /** One a process, as started; `pid` is that of the present process, undefined while there is none. */
  readonly running: readonly {
    readonly agentName: string;
    readonly port: number;
    readonly pid: number | undefined;
  }[];
  /** They register with this service, those too that are started again later. */
  join(reach: string): void;
  /** Tells them that the service ends before they do. */
  serviceEnds(): void;
  /** Ends all processes. */
  close(): Promise<void>;
}

/** Deaths in a row after which an agent is given up; a process that lived a minute ends the row. */
const MAX_RESTARTS = 5;
const STEADY_MS = 60_000;

/**
 * Starts one process for each place whose agent is one of the samples and whose address is on this machine,
 * and starts it again when it dies. Others are left alone: they run elsewhere.
 * @throws ReachError PORT_TAKEN, AGENT_UNREACHABLE; then none is left running
 */
export async function startSampleAgents(
  places: readonly SampleAgentPlace[],
  { onDeath }: SampleAgentsOptions,
): Promise<SampleAgents> {
  const agents = places.flatMap(({ agentName, manifest, instanceId, address }) => {
    const port = localPort(address);
    return SAMPLE_PROGRAMS.has(agentName) && port !== undefined
      ? [new SupervisedAgent(agentName, port, { manifest, instanceId }, onDeath)]
      : [];
  });
  const close = async () => {
    await Promise.all(agents.map((agent) => agent.close()));
  };
  const started = await Promise.allSettled(agents.map((agent) => agent.start()));
  const failed = started.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  const join = (reach: string) => {
    for (const agent of agents) agent.join(reach);
  };
  const serviceEnds = () => {
    for (const agent of agents) agent.serviceEnds();
  };
  return { running: agents, join, serviceEnds, close };
}

class SupervisedAgent {
  readonly agentName: string;
  readonly port: number;
  readonly #order: AgentProcessOrder;
  readonly #onDeath: (death: SampleAgentDeath) => void;
  #process: AgentProcess | undefined;
  #reach: string | undefined;
  #restart: Promise<void> | undefined;
  #deathsInARow = 0;
  #closed = false;

  constructor(
    agentName: string,
    port: number,
    order: AgentProcessOrder,
    onDeath: (death: SampleAgentDeath) => void,
  ) {
    this.agentName = agentName;
    this.port = port;
    this.#order = order;
    this.#onDeath = onDeath;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const process = await startAgentProcess(this.agentName, this.port, this.#order);
    const since = performance.now();
    this.#process = process;
    if (this.#reach !== undefined) process.join(this.#reach);
    process.ended.then((how) => {
      this.#process = undefined;
      if (performance.now() - since >= STEADY_MS) this.#deathsInARow = 0;
      this.#died(how);
    });
  }

  join(reach: string): void {
    this.#reach = reach;
    this.#process?.join(reach);
  }

  serviceEnds(): void {
    this.#process?.serviceEnds();
  }

  /** A process that is just being started again is waited for, so that none stays behind. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#restart;
    await this.#process?.stop();
  }

  #died(detail: string): void {
    if (this.#closed) return;
    this.#deathsInARow += 1;
    const restarting = this.#deathsInARow <= MAX_RESTARTS;
    this.#onDeath({ agentName: this.agentName, detail, restarting });
    if (restarting) {
      this.#restart = this.start().catch((error: unknown) => this.#died(asReachError(error).message));
    }
  }
}

/** The port of an address on this machine; undefined for any other. */
function localPort(address: string): number | undefined {
  const url = parsedUrl(address);
  if (url?.protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(url.hostname)) return undefined;
  return Number(url.port || 80);
}
