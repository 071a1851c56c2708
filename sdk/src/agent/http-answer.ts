import type { ServerResponse } from 'node:http';

/** An answer to a call, in JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer | string;
  readonly retryAfterS?: number | undefined;
}

export function sendAnswer(response: ServerResponse, { status, body, retryAfterS }: HttpAnswer): void {
  const bytes = Buffer.from(body);
  const type = status < 300 ? 'application/json' : 'application/problem+json';
  if (retryAfterS !== undefined) response.setHeader('retry-after', retryAfterS);
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}
