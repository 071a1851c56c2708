import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import { LruMap } from '../lru-map.js';
import { checkAddress } from '../net/address-guard.js';
import { endpointUrl } from '../net/agent-address.js';
import type { HttpClient } from '../net/http-client.js';
import type { HttpOutcome, ReaderFor } from '../net/http-outcome.js';
import { RequestEnd } from '../net/request-end.js';
import { LIMITS } from '../wire/limits.js';
import { AgentAuth, type AskedAuth } from './agent-auth.js';
import { callMessage, cancelMessage } from './agent-message.js';
import type { AgentAnswer, AgentCall, AgentTransport, CallListener, FinalAnswer } from './agent-transport.js';
import { mediaTypeOf } from './answer-body.js';
import { EventStreamAnswer } from './event-stream-answer.js';
import { failedWithoutSending, failureAnswer } from './failure-answer.js';
import { readAgentAnswer } from './read-agent-answer.js';
import { withoutSecret } from './without-secret.js';

/** For an agent to hear that work is no longer wanted. */
const CANCEL_MS = 2_000;
const CANCEL_ANSWER_BYTES = 65_536;
/** Endpoints that are kept once they were read and checked: that costs a call more than all else here. */
const KEPT_ENDPOINTS = 10_000;

interface HttpTransportParts {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Where tokens for agents may be asked for. */
  readonly allowedHosts: readonly string[];
}

/** Told of an answer, and of the status that it came with. */
type Settle = (answer: AgentAnswer, status: number | undefined) => void;

/** Calls agents over HTTP: one POST, answered at once, later, or by a stream of events. Owns its HTTP client. */
export class HttpTransport implements AgentTransport {
  readonly #http: HttpClient;
  readonly #clock: Clock;
  readonly #auth: AgentAuth;
  /** By address and path. */
  readonly #endpoints = new LruMap<string, URL>(KEPT_ENDPOINTS);

  constructor(parts: HttpTransportParts) {
    this.#http = parts.http;
    this.#clock = parts.clock;
    this.#auth = new AgentAuth(parts);
  }

  call(call: AgentCall, listener: CallListener): Promise<AgentAnswer> {
    const url = this.#urlOf(call.address, call.executeEndpoint);
    if (url instanceof ReachError) return Promise.resolve(failedWithoutSending(url.code, url.message));
    if (call.auth.type !== 'none') return this.#callWithLogin(call, call.auth, url, listener);
    return new Promise((resolve, reject) => this.#send(call, url, listener, undefined, resolve, reject));
  }

  async cancel({
    address,
    auth,
    requestId,
  }: Pick<AgentCall, 'address' | 'auth' | 'requestId'>): Promise<void> {
    const url = this.#urlOf(address, '/cancel');
    if (url instanceof ReachError) return;
    const deadline = this.#clock.monotonic() + CANCEL_MS;
    const end = new RequestEnd(CANCEL_MS);
    try {
      const credential = auth.type === 'none' ? undefined : await this.#auth.credential(auth, end);
      await this.#http.request({
        url,
        ...cancelMessage(requestId, credential),
        timeoutMs: deadline - this.#clock.monotonic(),
        maxBytes: CANCEL_ANSWER_BYTES,
      });
    } catch {
      // Any answer will do, and so will none.
    } finally {
      end.dispose();
    }
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** The endpoint under the path of the address; an address that may not be called comes back as the error. */
  #urlOf(address: string, endpoint: string): URL | ReachError {
    const key = `${address}\n${endpoint}`;
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    try {
      checkAddress(address);
      const url = new URL(endpointUrl(address, endpoint));
      this.#endpoints.set(key, url);
      return url;
    } catch (error) {
      return asReachError(error);
    }
  }

  /** A token that the agent does not take (401) is renewed once; the work was not begun then. */
  async #callWithLogin(
    call: AgentCall,
    auth: AskedAuth,
    url: URL,
    listener: CallListener,
  ): Promise<AgentAnswer> {
    const deadline = this.#clock.monotonic() + call.timeoutMs;
    const end = new RequestEnd(call.timeoutMs, call.signal);
    try {
      for (let renewed = false; ; renewed = true) {
        const login = await this.#logIn(auth, end);
        if (typeof login !== 'string') return login;
        const timeoutMs = deadline - this.#clock.monotonic();
        let refused = false;
        const answer = await new Promise<AgentAnswer>((resolve, reject) => {
          const settle: Settle = (came, status) => {
            refused = status === 401;
            resolve(came);
          };
          this.#send({ ...call, timeoutMs }, url, listener, login, settle, reject);
        });
        if (!refused || renewed || !this.#auth.refuse(auth, login)) return withoutSecret(answer, login);
      }
    } finally {
      end.dispose();
    }
  }

  /** What the agent wants to see, or how the call ends where that cannot be had. */
  async #logIn(auth: AskedAuth, end: RequestEnd): Promise<string | FinalAnswer> {
    try {
      return await this.#auth.credential(auth, end);
    } catch (error) {
      if (end.cause?.reason === 'cancelled') return { kind: 'cancelled' };
      const { code, message } = asReachError(error);
      return failedWithoutSending(code, message);
    }
  }

  /** Settles with a stream's result before the stream has ended. */
  #send(
    call: AgentCall,
    url: URL,
    listener: CallListener,
    credential: string | undefined,
    settle: Settle,
    fail: (thrown: unknown) => void,
  ): void {
    let stream: EventStreamAnswer | undefined;
    const readerFor: ReaderFor = (head, close) => {
      const { status } = head;
      if (status !== 200 || mediaTypeOf(head) !== 'text/event-stream') return undefined;
      const opened = new EventStreamAnswer({
        listener,
        clock: this.#clock,
        ackMs: call.ackMs,
        maxChars: LIMITS.answerBytes,
        settle: (answer) => settle(answer, status),
        close,
      });
      stream = opened;
      return (chunk) => opened.read(chunk);
    };
    const request = {
      url,
      timeoutMs: call.timeoutMs,
      maxBytes: LIMITS.answerBytes,
      signal: call.signal,
      readerFor,
      ...callMessage(call, credential),
    };
    this.#http.request(request).then((outcome) => {
      try {
        if (stream === undefined) settle(this.#answerOf(outcome, call), outcome.status);
        else stream.over(outcome);
      } catch (thrown) {
        fail(thrown);
      }
    }, fail);
  }

  #answerOf(outcome: HttpOutcome, { replyTo }: AgentCall): AgentAnswer {
    if (outcome.kind === 'failed') return failureAnswer(outcome);
    return readAgentAnswer(outcome, { mayAnswerLater: replyTo !== null, nowMs: this.#clock.now() });
  }
}
