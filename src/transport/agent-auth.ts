import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import { LruMap } from '../lru-map.js';
import type { Manifest } from '../manifest/schema.js';
import type { HttpClient } from '../net/http-client.js';
import type { RequestEnd } from '../net/request-end.js';
import { readSecret } from '../net/secret-ref.js';
import { KeptToken } from './kept-token.js';
import { type ClientCredentials, requestToken } from './token-request.js';

/** What a manifest asks of its callers, where it asks for something. */
export type AskedAuth = Exclude<Manifest['auth'], { type: 'none' }>;

/** Tokens that are kept; agents of one company mostly share one. */
const KEPT_TOKENS = 1_000;

interface Parts {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Where tokens may be asked for. */
  readonly allowedHosts: readonly string[];
}

/** Waits no longer than until the end of a request. @throws ReachError AGENT_NEEDS_AUTH */
function until<Value>(end: RequestEnd, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    end.tell(({ detail }) =>
      reject(new ReachError('AGENT_NEEDS_AUTH', `no token was there in time: ${detail}`)),
    );
    work.then(resolve, reject);
  });
}

/** Has for each agent what it wants to see: the secret or token of its `Authorization: Bearer`. */
export class AgentAuth {
  readonly #parts: Parts;
  readonly #tokens = new LruMap<string, KeptToken>(KEPT_TOKENS);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws ReachError AGENT_NEEDS_AUTH where it cannot be had before the end, ADDRESS_FORBIDDEN. */
  async credential(auth: AskedAuth, end: RequestEnd): Promise<string> {
    try {
      if (auth.type === 'bearer') return await readSecret(auth.secretRef);
      return await until(end, this.#tokenOf(auth).value());
    } catch (thrown) {
      const { code, message } = asReachError(thrown);
      if (code === 'ADDRESS_FORBIDDEN') throw thrown;
      throw new ReachError(
        'AGENT_NEEDS_AUTH',
        `the login that the manifest asks for cannot be had: ${message}`,
      );
    }
  }

  /** An agent answered 401 to this one. Whether asking for the credential again may give another. */
  refuse(auth: AskedAuth, credential: string): boolean {
    if (auth.type === 'bearer') return false;
    this.#tokenOf(auth).refuse(credential);
    return true;
  }

  #tokenOf(auth: ClientCredentials): KeptToken {
    const key = JSON.stringify(auth);
    const kept =
      this.#tokens.get(key) ?? new KeptToken(() => requestToken(auth, this.#parts), this.#parts.clock);
    this.#tokens.set(key, kept);
    return kept;
  }
}
