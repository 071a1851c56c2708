import type { RequestClient } from './request-client.js';
import type { SeenRequest } from './request-end-judge.js';

/** Waits for the end of a request and looks at all that is told of it. `told`: the state that its caller was answered. */
export async function seenEnd(
  client: RequestClient,
  requestId: string,
  patienceMs: number,
  told?: string,
): Promise<SeenRequest> {
  try {
    const status = await client.ended(requestId, patienceMs);
    return { kind: 'ended', requestId, told, status, events: await client.events(requestId) };
  } catch (error) {
    return { kind: 'lost', requestId, problem: String(error) };
  }
}
