import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

// The process that sends dispatches at a rate, however fast they are answered, forked by PacedLoad: one of its own, so
// that who floods does not slow who measures.

export interface PacedOrder {
  /** Like http://127.0.0.1:8080 */
  readonly service: string;
  /** The body of each dispatch. */
  readonly body: object;
  readonly perSecond: number;
  readonly seconds: number;
}

/** How one dispatch was answered. */
export interface PacedAnswer {
  readonly tookMs: number;
  /** Undefined where it was completed: else the code of the problem or the error, or what happened in its place. */
  readonly code: string | undefined;
}

const MOST_CONNECTIONS = 4_000;

const connections = new Agent({ connections: MOST_CONNECTIONS });

async function send({ service, body }: PacedOrder): Promise<PacedAnswer> {
  const sentAt = performance.now();
  const code = await codeOf(`${service}/api/v1/dispatch`, JSON.stringify(body)).catch(String);
  return { tookMs: performance.now() - sentAt, code };
}

async function codeOf(url: string, body: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', headers, body, dispatcher: connections });
  const said = (await answer.body.json()) as { code?: string; state?: string; error?: { code: string } };
  return said.state === 'completed' ? undefined : (said.code ?? said.error?.code ?? said.state);
}

async function sendAll(order: PacedOrder): Promise<PacedAnswer[]> {
  const startedAt = performance.now();
  const sent: Promise<PacedAnswer>[] = [];
  while (sent.length < order.perSecond * order.seconds) {
    const dueMs = (sent.length * 1_000) / order.perSecond - (performance.now() - startedAt);
    if (dueMs > 1) await sleep(dueMs);
    sent.push(send(order));
  }
  return Promise.all(sent);
}

process.on('message', async (order: PacedOrder) => process.send?.(await sendAll(order)));
process.on('disconnect', () => process.exit(0));
