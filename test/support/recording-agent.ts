import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { httpServer } from './local-servers.js';

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}

/** An agent that keeps every request it got. */
export async function recordingAgent() {
  const seen: { path: string | undefined; headers: IncomingHttpHeaders; body: unknown }[] = [];
  const server = await httpServer(async (request: IncomingMessage, response: ServerResponse) => {
    seen.push({ path: request.url, headers: request.headers, body: JSON.parse(await bodyOf(request)) });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":1}');
  });
  return { url: server.url, seen };
}
