import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { httpServer } from '../support/local-servers.js';

export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse, received: Received) => void;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}

export const answering =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** A real receiver of webhooks. `answers`: to the first message, the second and so on; the last one to all others. */
export async function receiver(...answers: readonly Answer[]) {
  const received: Received[] = [];
  const server = await httpServer(async (request, response) => {
    const { url = '', headers } = request;
    const message = { url, headers, body: await bodyOf(request) };
    const answer = answers[Math.min(received.push(message), answers.length) - 1] ?? answering(200);
    answer(response, message);
  });
  return { received, url: new URL('hook', server.url).href, host: server.url.host, stop: server.stop };
}
