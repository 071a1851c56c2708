import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceUser } from './service-user.js';

/** Calls `clean` when the test, or the file, is over. */
export type WhenOver = (clean: () => void | Promise<void>) => void;

/** Until the next beat where a service did not take one. */
const RETRY_MS = 500;

const completed: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json').end('{"result": {}}');
  });
};
const healthy: RequestListener = (_, response) => void response.end('ok');

/** A status with nothing more. */
export function answers(status: number): RequestListener {
  return (request, response) => void request.resume().on('end', () => response.writeHead(status).end());
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** An agent's program as far as its service sees it: one door for calls, and another one for probes. */
export class HttpInstance {
  /** How calls are answered from now on. */
  execute: RequestListener = completed;
  /** How probes are answered from now on. */
  health: RequestListener = healthy;
  /** Probes that have come. */
  probes = 0;
  readonly #calls = createServer((request, response) => this.execute(request, response));
  readonly #probes = createServer((request, response) => {
    this.probes += 1;
    this.health(request, response);
  });
  /** What it was commanded, in order. */
  readonly commands: string[] = [];
  /** Why beats came to nothing. */
  readonly refusals: string[] = [];
  #ports = { calls: 0, probes: 0 };
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  static async open(whenOver: WhenOver): Promise<HttpInstance> {
    const instance = new HttpInstance();
    instance.#ports = { calls: await listen(instance.#calls, 0), probes: await listen(instance.#probes, 0) };
    whenOver(() => {
      instance.#isOver = true;
      clearTimeout(instance.#timer);
      instance.#calls.close().closeAllConnections();
      instance.cutProbes();
    });
    return instance;
  }

  get registration() {
    return {
      address: `http://127.0.0.1:${this.#ports.calls}`,
      health_address: `http://127.0.0.1:${this.#ports.probes}/healthz`,
    };
  }

  /** From now on nobody listens where probes go. */
  cutProbes(): void {
    this.#probes.close().closeAllConnections();
  }

  async restoreProbes(): Promise<void> {
    await listen(this.#probes, this.#ports.probes);
  }

  /** Registers, and beats until it is over. */
  async join(user: ServiceUser, agentName: string, instanceId: string): Promise<void> {
    await user.register(agentName, instanceId, this.registration);
    void this.#beat((state) => user.heartbeat(agentName, instanceId, { state }), 'up');
  }

  /** As often as it is asked to, in the state that it was commanded. */
  async #beat(send: (state: string) => Promise<Record<string, unknown>>, state: string): Promise<void> {
    const { commands, next_heartbeat_ms: nextMs } = await send(state).catch((error: unknown) => {
      this.refusals.push(String(error));
      return { commands: [], next_heartbeat_ms: RETRY_MS };
    });
    this.commands.push(...(commands as string[]));
    const next = this.commands.at(-1) === 'pause' ? 'paused' : 'up';
    if (!this.#isOver) this.#timer = setTimeout(() => void this.#beat(send, next), Number(nextMs));
  }
}
