import type { RequestStatus } from '../wire/requests.js';

type Standing = NonNullable<RequestStatus['callback']>;

/** Tells those who gave a `callbackUrl` that their request has ended. A port; `outbox/` implements it. */
export interface Callbacks {
  /** @throws ReachError ADDRESS_FORBIDDEN */
  check(url: string): void;
  /** Tells the end of a request, once however often it is called. Durable when it resolves. @throws ReachError */
  tellEnd(url: string, request: RequestStatus): Promise<void>;
  /** How far the telling is; undefined where nothing of it is kept. */
  find(request: Pick<RequestStatus, 'requestId' | 'acceptedAt'>): Promise<Standing | undefined>;
}

/** How the callback of a request stands; null where it has none. */
export async function standingOf(
  callbacks: Callbacks | undefined,
  url: string | undefined,
  request: Pick<RequestStatus, 'requestId' | 'acceptedAt'>,
): Promise<Standing | null> {
  if (url === undefined) return null;
  return (await callbacks?.find(request)) ?? { state: 'waiting', attempts: 0, lastError: null };
}
