import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { FAULTS, type Fault, pass } from './faults.js';

/** A call as it came to a proxy. */
export interface PassedCall {
  readonly requestId: string;
  readonly capabilityId: string;
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
  readonly fault: Fault | undefined;
}

const FAULT_NAMES = Object.keys(FAULTS) as Fault[];

/** Stands before one instance, and lets something go wrong with some of the calls to it; probes pass unharmed. */
export class FaultProxy {
  readonly #server = createServer((request, response) => {
    // Either side may hang up at any time: that is what this is for.
    this.#meet(request, response).catch(() => response.destroy());
  });
  readonly #sockets = new Set<Socket>();
  readonly #onwards = new Agent({ keepAlive: true });
  readonly #target: number;
  readonly #share: number;
  readonly #random: () => number;
  /** In the order in which they came. */
  readonly calls: PassedCall[] = [];

  private constructor(target: number, share: number, seed: number) {
    this.#target = target;
    this.#share = share;
    this.#random = seededRandom(seed);
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** `target`: the port of the instance. `share`: of the calls something goes wrong with, 0..1. */
  static async open(target: number, share: number, seed: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, share, seed);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every connection, also those that are half open. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#onwards.destroy();
    await closed;
  }

  async #meet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const meeting = { response, forward: () => this.#forward(request, body) };
    if (request.url !== '/execute') return pass(meeting);
    const fault = this.#random() < this.#share ? this.#anyFault() : undefined;
    const { request_id: requestId, capability_id: capabilityId } = JSON.parse(body.toString());
    this.calls.push({ requestId, capabilityId, atMs: Date.now(), fault });
    await (fault === undefined ? pass : FAULTS[fault])(meeting);
  }

  #anyFault(): Fault | undefined {
    return FAULT_NAMES[Math.floor(this.#random() * FAULT_NAMES.length)];
  }

  async #forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const onwards: OutgoingHttpHeaders = headers;
    const call = send({
      port: this.#target,
      host: '127.0.0.1',
      agent: this.#onwards,
      ...{ method, path: url, headers: onwards },
    });
    call.end(body);
    const [answer] = await once(call, 'response');
    return answer;
  }
}
