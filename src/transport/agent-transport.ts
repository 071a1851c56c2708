import type { ErrorCode, FieldError } from '../errors.js';
import type { Manifest } from '../manifest/schema.js';
import type { Lane } from '../wire/dispatch.js';

/** One call of one capability on one instance. */
export interface AgentCall {
  /** Base address of the instance, already allowed by the address guard at registration and checked again at connect. */
  readonly address: string;
  readonly executeEndpoint: string;
  /** What the agent's manifest asks of its callers. */
  readonly auth: Manifest['auth'];
  readonly capabilityId: string;
  readonly requestId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** What is left for the agent's work; travels as `x-reach-timeout-ms` and ends the call. */
  readonly timeoutMs: number;
  readonly intent: string | undefined;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly lane: Lane;
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  /** W3C traceparent of the caller, passed on unchanged; what is not one is left out. */
  readonly traceparent: string | undefined;
}

/** What became of a call. Nothing is thrown for what an agent does. */
export type AgentAnswer =
  | {
      readonly kind: 'completed';
      readonly result: unknown;
      readonly reply: string | undefined;
      readonly needHumanHandoff: boolean;
    }
  /** 400/422: the payload is the caller's fault, not a failure of the agent. */
  | { readonly kind: 'refused'; readonly detail: string; readonly errors: readonly FieldError[] }
  | {
      readonly kind: 'failed' | 'timeout';
      readonly code: ErrorCode;
      readonly detail: string;
      /** There was no connection, or it was lost before an answer. */
      readonly unreached: boolean;
      /** The agent may have done the work, in whole or in part. */
      readonly mayHaveExecuted: boolean;
      readonly retryAfterMs: number | undefined;
    };

/** Calls agents over one protocol. */
export interface AgentTransport {
  call(call: AgentCall): Promise<AgentAnswer>;
  close(): Promise<void>;
}
