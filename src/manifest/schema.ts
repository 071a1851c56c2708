import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from '../wire/codec.js';

/** Bounds on a manifest, checked before anything of it is compiled. */
export const MANIFEST_LIMITS = Object.freeze({
  bytes: 8_388_608,
  capabilities: 5_000,
  examples: 100,
  textChars: 20_000,
  schemaBytes: 65_536,
  schemaDepth: 32,
  schemaNodes: 2_000,
  schemaRefs: 200,
});

const SecretRef = Type.String({ pattern: '^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$' });
const Text = (maxLength: number) => Type.String({ maxLength });
const Labels = Type.Record(Type.String(), Text(256));
const JsonSchemaField = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Boolean()]);

/** `agent_name`: lower case, digits, dot, underscore, hyphen; starts with a letter or digit. */
export const AGENT_NAME_PATTERN = '^[a-z0-9][a-z0-9._-]{0,62}$';
/** A capability id: 1 to 128 characters of any script, no control characters, no space at the ends. */
export const CAPABILITY_ID_PATTERN = '^(?!\\s)[^\\p{Cc}\\p{Cs}]{1,128}(?<!\\s)$';

const CapabilitySchema = Type.Object({
  id: Type.String({ pattern: CAPABILITY_ID_PATTERN }),
  name: Type.String({ minLength: 1, maxLength: 256 }),
  description: Type.Optional(Text(MANIFEST_LIMITS.textChars)),
  examples: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MANIFEST_LIMITS.textChars }), {
      maxItems: MANIFEST_LIMITS.examples,
    }),
  ),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 100 })),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  input_schema: Type.Optional(JsonSchemaField),
  output_schema: Type.Optional(JsonSchemaField),
  equivalent_to: Type.Optional(Type.Array(Type.String({ pattern: '^[^/]+/.+$' }), { maxItems: 100 })),
  threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  deadline_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600_000 })),
  expected_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600_000 })),
  idempotent: Type.Optional(Type.Boolean()),
  degrade: Type.Optional(
    Type.Union([
      Type.Object({ kind: Type.Literal('canned'), value: Type.Unknown() }),
      Type.Object({ kind: Type.Literal('last_good'), max_age_ms: Type.Integer({ minimum: 1 }) }),
    ]),
  ),
});

const InstanceSchema = Type.Object({
  instance_id: Type.String({ minLength: 1, maxLength: 128 }),
  address: Type.String({ minLength: 1, maxLength: 2_048 }),
  weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  region: Type.Optional(Text(128)),
  labels: Type.Optional(Labels),
});

const AuthSchema = Type.Union([
  Type.Object({ type: Type.Literal('none') }),
  Type.Object({ type: Type.Literal('bearer'), secret_ref: SecretRef }),
  Type.Object({
    type: Type.Literal('oauth2_client_credentials'),
    token_url: Text(2_048),
    client_id_ref: SecretRef,
    client_secret_ref: SecretRef,
    scope: Type.Optional(Text(1_024)),
  }),
]);

/** A manifest as a team writes it. Unknown fields are kept and ignored, so nothing here is closed. */
export const ManifestSchema = Type.Object({
  agent_name: Type.String({ pattern: AGENT_NAME_PATTERN }),
  manifest_version: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  schema_version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1 })),
  team: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  visible_to: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 1_000 })),
  capabilities: Type.Array(CapabilitySchema, { minItems: 1, maxItems: MANIFEST_LIMITS.capabilities }),
  dependencies: Type.Optional(
    Type.Object({
      llm_model: Type.Optional(Text(256)),
      max_concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    }),
  ),
  limits: Type.Optional(Type.Object({ max_qps: Type.Optional(Type.Number({ exclusiveMinimum: 0 })) })),
  protocol: Type.Optional(Type.Literal('http')),
  execute_endpoint: Type.Optional(Type.String({ pattern: '^/', maxLength: 2_048 })),
  health_endpoint: Type.Optional(Type.String({ pattern: '^/', maxLength: 2_048 })),
  auth: Type.Optional(AuthSchema),
  labels: Type.Optional(Labels),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  instances: Type.Optional(Type.Array(InstanceSchema, { maxItems: 1_000 })),
});

/** A manifest as written, in wire form: what is stored and given back. */
export type ManifestDocument = Static<typeof ManifestSchema>;
export const manifestCodec = codecOf<typeof ManifestSchema, ManifestDocument>(ManifestSchema);

export type JsonSchema = boolean | Readonly<Record<string, unknown>>;
type CapabilityInput = Camel<ManifestDocument>['capabilities'][number];

/** A capability with every default in place. `inputSchema` is `true` (anything goes) where none is declared. */
export interface Capability {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly tags: readonly string[];
  /** 0..100; a tie-break between equivalents, nothing else. */
  readonly priority: number;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly equivalentTo: readonly string[];
  readonly threshold: number | undefined;
  readonly deadlineMs: number | undefined;
  readonly expectedMs: number | undefined;
  readonly idempotent: boolean;
  readonly degrade: CapabilityInput['degrade'];
}

/** An instance that the manifest itself names: no lease, there as long as the manifest is. */
export interface StaticInstance {
  readonly instanceId: string;
  /** Origin (and optional base path), http or https. */
  readonly address: string;
  readonly weight: number;
  readonly region: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** A checked manifest with every default in place. */
export interface Manifest {
  readonly agentName: string;
  readonly manifestVersion: number;
  readonly team: string;
  /** Team names that may reach it; `*` is everyone. */
  readonly visibleTo: readonly string[];
  readonly capabilities: readonly Capability[];
  readonly maxConcurrency: number | undefined;
  readonly maxQps: number | undefined;
  readonly executeEndpoint: string;
  readonly healthEndpoint: string;
  readonly auth: NonNullable<Camel<ManifestDocument>['auth']>;
  readonly labels: Readonly<Record<string, string>>;
  readonly instances: readonly StaticInstance[];
}
