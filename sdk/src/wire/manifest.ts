type JsonSchema = boolean | Readonly<Record<string, unknown>>;

/** One thing that an agent can do. */
export interface CapabilityDocument {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Up to 100 sentences, in any language, that shall lead here. */
  readonly examples?: readonly string[];
  readonly tags?: readonly string[];
  /** 0..100, default 50. */
  readonly priority?: number;
  /** JSON Schema 2020-12 or draft-07. */
  readonly input_schema?: JsonSchema;
  readonly output_schema?: JsonSchema;
  /** Capabilities that it may stand in for, as `agent_name/capability_id`. */
  readonly equivalent_to?: readonly string[];
  readonly threshold?: number;
  readonly deadline_ms?: number;
  readonly expected_ms?: number;
  readonly idempotent?: boolean;
  /** `weighted_round_robin` (default), `weighted_random`, `sticky`, `least_pending`, or one of the service's own. */
  readonly instance_strategy?: string;
  readonly degrade?:
    | { readonly kind: 'canned'; readonly value: unknown }
    | { readonly kind: 'last_good'; readonly max_age_ms: number };
}

/** A manifest as a team writes it: a document, so its names are those of the wire. */
export interface ManifestDocument {
  /** `^[a-z0-9][a-z0-9._-]{0,62}$` */
  readonly agent_name: string;
  /** Grows with every change. */
  readonly manifest_version?: number;
  readonly schema_version?: number;
  readonly team?: string;
  readonly visible_to?: readonly string[];
  readonly capabilities: readonly CapabilityDocument[];
  readonly dependencies?: { readonly llm_model?: string; readonly max_concurrency?: number };
  readonly limits?: { readonly max_qps?: number };
  readonly protocol?: 'http';
  /** Default `/execute`. */
  readonly execute_endpoint?: string;
  /** Default `/healthz`. */
  readonly health_endpoint?: string;
  readonly auth?:
    | { readonly type: 'none' }
    | { readonly type: 'bearer'; readonly secret_ref: string }
    | {
        readonly type: 'oauth2_client_credentials';
        readonly token_url: string;
        readonly client_id_ref: string;
        readonly client_secret_ref: string;
        readonly scope?: string;
      };
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Static instances, without a lease. */
  readonly instances?: readonly {
    readonly instance_id: string;
    readonly address: string;
    readonly weight?: number;
    readonly region?: string;
    readonly labels?: Readonly<Record<string, string>>;
  }[];
}
