import { Pool } from 'undici';
import type { Work } from './work-agent-process.js';
import { INTENTS } from './work-manifests.js';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/** The least that calls to the same agents cost: an undici pool an instance, taken in turn, and nothing else. */
export class BarePool {
  readonly #pools: readonly Pool[];
  #turn = 0;

  constructor(ports: readonly number[], connections: number) {
    this.#pools = ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { connections }));
  }

  /** @throws Error where the answer is not a 200 */
  async call(work: Work): Promise<void> {
    const pool = this.#pools[this.#turn++ % this.#pools.length];
    const { request_id, ...body } = {
      request_id: `bare-${this.#turn}`,
      capability_id: 'read',
      intent: INTENTS.read,
      payload: work,
      lane: 'P1',
      reply_to: null,
    };
    const answer = await pool?.request({
      method: 'POST',
      path: '/execute',
      headers: { ...HEADERS, 'x-reach-request-id': request_id },
      body: JSON.stringify({ request_id, ...body }),
    });
    await answer?.body.json();
    if (answer?.statusCode !== 200) throw new Error(`An agent answered ${answer?.statusCode}.`);
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }
}
