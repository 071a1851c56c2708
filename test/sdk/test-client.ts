import { json } from 'node:stream/consumers';
import { ReachClient } from 'agent-reach-sdk';
import { httpServer } from '../support/local-servers.js';

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A client of a server that answers with this. */
export async function clientOf(answer: object, status = 200, headers: Readonly<Record<string, string>> = {}) {
  const asked: Asked[] = [];
  const { url } = await httpServer(async (request, response) => {
    const body = request.headers['content-type'] === undefined ? undefined : await json(request);
    asked.push({ method: request.method, url: request.url, body, headers: request.headers });
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(answer));
  });
  return { client: new ReachClient({ endpoint: url.href }), asked };
}

export const DECISION = {
  route_id: 'r-1',
  outcome: 'routed',
  target_agent: 'a',
  instance_id: 'i',
  target_address: 'http://127.0.0.1:1',
  addr_version: 5,
  signal_weights: { views_centroid: 2 },
};
