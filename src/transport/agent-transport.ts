import type { EndSignal } from '../end-signal.js';
import type { ErrorCode, FieldError } from '../errors.js';
import type { Manifest } from '../manifest/schema.js';
import type { Lane } from '../wire/dispatch.js';

/** What an agent is told of the conversation. In wire form: it is sent as it is. */
export interface CallSession {
  readonly session_id?: string;
  readonly user_id?: string;
  readonly revision?: number;
  readonly entities?: Readonly<Record<string, unknown>>;
  readonly rounds?: readonly unknown[];
  readonly summary?: string;
}

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
  /** From the head of a stream to its first event. */
  readonly ackMs: number;
  readonly intent: string | undefined;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly lane: Lane;
  readonly session: CallSession | undefined;
  /** Where the agent may answer later; null: it must answer at once. */
  readonly replyTo: string | null;
  /** W3C traceparent of the caller, passed on unchanged; what is not one is left out. */
  readonly traceparent: string | undefined;
  /** Ends the call: the connection is closed, and the answer is `cancelled`. */
  readonly signal: EndSignal | undefined;
}

/** What an agent tells while it works, in order, before the call resolves. */
export interface CallListener {
  /** The first event of a stream has come. */
  acknowledged(): void;
  progress(data: unknown): void;
  delta(data: unknown): void;
}

/** Work that was done, and what the agent says of it. */
export interface CompletedAnswer {
  readonly kind: 'completed';
  readonly result: unknown;
  readonly reply: string | undefined;
  readonly needHumanHandoff: boolean;
  /** For the rest of the conversation. */
  readonly entities: Readonly<Record<string, unknown>> | undefined;
}

/** 400/422: the payload is the caller's fault, not a failure of the agent. */
export interface RefusedAnswer {
  readonly kind: 'refused';
  readonly detail: string;
  readonly errors: readonly FieldError[];
}

export interface FailedAnswer {
  readonly kind: 'failed' | 'timeout';
  readonly code: ErrorCode;
  readonly detail: string;
  /** There was no connection, or it was lost before an answer. */
  readonly unreached: boolean;
  /** The agent may have done the work, in whole or in part. */
  readonly mayHaveExecuted: boolean;
  readonly retryAfterMs: number | undefined;
}

/** 202: the agent has taken the work and answers to `replyTo`. */
export interface AcceptedAnswer {
  readonly kind: 'accepted';
  readonly queueRemaining: number | undefined;
  readonly estimatedDelayMs: number | undefined;
}

/** How work ended. */
export type FinalAnswer = CompletedAnswer | RefusedAnswer | FailedAnswer | { readonly kind: 'cancelled' };
/** What became of a call. Nothing is thrown for what an agent does. */
export type AgentAnswer = FinalAnswer | AcceptedAnswer;

/** Calls agents over one protocol. */
export interface AgentTransport {
  call(call: AgentCall, listener: CallListener): Promise<AgentAnswer>;
  /** Tells an agent that work which it has taken for later is no longer wanted. Never rejects; waits 2 s at most. */
  cancel(call: Pick<AgentCall, 'address' | 'auth' | 'requestId'>): Promise<void>;
  close(): Promise<void>;
}
