import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

/** Connections to one origin; what comes on top waits. */
export const CONNECTIONS_PER_ORIGIN = 20;
/** Idle connections are closed before most servers (5 s and more) close them. */
export const IDLE_TIMEOUT_MS = 4_000;

/** A new connection is given less than a lost packet's second: another instance is faster. TLS needs more turns. */
const CONNECT_TIMEOUT_MS = { plain: 200, tls: 1_000 };
/** Happy eyeballs must have tried the second address family before the connect timeout. */
const FAMILY_ATTEMPT_TIMEOUT_MS = 80;

/** Opens a connection to an origin; the callback gets it once it can be used. */
export type Connector = buildConnector.connector;

export interface ConnectOptions {
  readonly lookup: LookupFunction;
  /** The authorities to trust in place of those that Node knows, as PEM. */
  readonly ca: string | undefined;
}

export function plainConnector({ lookup }: ConnectOptions): Connector {
  return buildConnector({
    lookup,
    timeout: CONNECT_TIMEOUT_MS.plain,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_TIMEOUT_MS,
  });
}

/** Agrees on HTTP/1.1 or, with `allowH2`, whichever of both the server prefers: `alpnProtocol` of the socket. */
export function tlsConnector({ lookup, ca }: ConnectOptions, allowH2: boolean): Connector {
  return buildConnector({
    lookup,
    allowH2,
    timeout: CONNECT_TIMEOUT_MS.tls,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_TIMEOUT_MS,
    ...(ca !== undefined && { ca }),
  });
}
