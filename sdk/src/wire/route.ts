/** What is to be routed or done. `intent` or a target (`capabilityId`, `agentName`) must be there. */
export interface RouteRequest {
  /** What is needed, in plain language: 1 to 20,000 characters after trimming. */
  readonly intent?: string;
  /** Ask this agent instead of searching for one. */
  readonly agentName?: string;
  /** Take this capability instead of searching: `agent_name/id`, or the id where `agentName` is given. */
  readonly capabilityId?: string;
  /** The data for the work; its field names help to find the right capability. */
  readonly payload?: Readonly<Record<string, unknown>> | null;
  readonly sessionId?: string;
  /** The person behind the request. */
  readonly userId?: string;
  /** Weights, 0..1 each, of the choice between equivalent capabilities. */
  readonly prefer?: {
    readonly reachabilityScore?: number;
    readonly latency?: number;
    readonly affinity?: number;
  };
  /** Which capabilities may be chosen at all. */
  readonly filter?: {
    readonly agents?: readonly string[];
    readonly tags?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly team?: string;
  };
  /** Prefer instances of this region. */
  readonly region?: string;
  /** An instance id to try first. */
  readonly hint?: string;
  /** How many candidates to list at most: 1..64, default 5. */
  readonly topK?: number;
  /** The least confidence to act on, 0..1; 0 takes the best whatever it is. */
  readonly threshold?: number;
  /** List also what was filtered out, and every signal. */
  readonly explain?: boolean;
  /** The clarify that this answers, with `choice` or a fuller payload. */
  readonly routeId?: string;
  /** The chosen capability, as `agent_name/capability_id`. */
  readonly choice?: string;
}

/** A capability that was weighed. */
export interface Candidate {
  readonly agentName: string;
  readonly capabilityId: string;
  /** The best cosine of the intent to a text of the capability. */
  readonly similarity: number;
  /** Overlap of words and character pairs, 0..1. */
  readonly lexical: number;
  /** How well the payload fits the input schema, 0..1; null without a payload. */
  readonly coverage: number | null;
  readonly relevance: number;
  /** Probability that the group of this capability is the right one. */
  readonly confidence: number;
  /** 0..1. */
  readonly reachability: number;
  /** pending / max_concurrency, 0..1. */
  readonly load: number;
  readonly priority: number;
  /** Confidence times utility. */
  readonly score: number;
  /** Why it was not chosen. */
  readonly excludedBy?: string;
  /** Only with `explain`, as `signals`. */
  readonly matchedExample?: string;
  readonly signals?: Readonly<Record<string, number>>;
}

/** What routing decided and why. The target is null where the outcome names none. */
export interface Decision {
  readonly routeId: string;
  readonly outcome: 'routed' | 'clarify' | 'unreachable' | 'fallback' | 'human';
  /** One sentence: why this outcome. */
  readonly reason: string;
  readonly targetAgent: string | null;
  readonly capabilityId: string | null;
  readonly instanceId: string | null;
  readonly targetAddress: string | null;
  /** Grows with every new address of the instance. */
  readonly addrVersion: number | null;
  readonly confidence: number;
  readonly threshold: number;
  readonly score: number;
  /** The rule that chose the target, or else the one that sets something for it or its threshold. */
  readonly ruleId?: string;
  /** How long the call may take by a rule, where the caller says nothing. */
  readonly timeoutMs?: number;
  /** The intent was understood by what its session was about before. */
  readonly resumed?: boolean;
  /** The session could not be read; it was gone on without. */
  readonly sessionUnavailable?: boolean;
  /** Of a clarify: what to choose from. */
  readonly choices?: readonly {
    readonly agentName: string;
    readonly capabilityId: string;
    readonly name: string;
    readonly confidence: number;
  }[];
  /** JSON pointers into the payload that the target needs. */
  readonly missingFields?: readonly string[];
  readonly retryAfterMs?: number;
  readonly ticketId?: string | null;
  readonly candidates: readonly Candidate[];
  readonly timingMs: {
    readonly embed: number;
    readonly retrieve: number;
    readonly decide: number;
    readonly total: number;
  };
  readonly catalogueVersion: number;
  readonly weightsVersion: string;
  /** Only with `explain`, as `confidenceInputs`. */
  readonly signalWeights?: Readonly<Record<string, number>>;
  readonly confidenceInputs?: Readonly<Record<string, number>>;
  readonly model: string;
}
