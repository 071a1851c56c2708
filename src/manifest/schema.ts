import { type Static, Type } from 'typebox';
import { AnyName } from '../wire/any-name.js';
import { type Camel, codecOf } from '../wire/codec.js';
import { LIMITS } from '../wire/limits.js';

/** Bounds on a manifest, checked before anything of it is compiled. */
export const MANIFEST_LIMITS = Object.freeze({
  bytes: LIMITS.manifestBytes,
  /** Objects, arrays and what they hold, in a whole manifest. */
  values: 500_000,
  /** Nesting of objects and arrays, the manifest itself being the first. */
  depth: 64,
  capabilities: 5_000,
  examples: 100,
  textChars: 20_000,
  schemaBytes: 65_536,
  /** Nesting of objects and arrays, the schema itself being the first. */
  schemaDepth: 32,
  /** Objects and arrays in a schema. */
  schemaNodes: 2_000,
  schemaRefs: 200,
  schemaPatterns: 200,
  patternChars: 1_000,
});

const SecretRef = Type.String({
  pattern: '^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$',
  description: '"env:NAME" or "file:PATH"',
  // Who writes the secret itself here shall not find it in a log.
  writeOnly: true,
});
const Text = (maxLength: number) => Type.String({ maxLength });
/** Text of at least one visible character. */
const Line = (maxLength: number) =>
  Type.String({ pattern: '\\S', maxLength, description: 'text that is not blank' });
/** A path on the agent's own host: a second slash or a backslash at the start would name another one. */
const Endpoint = Type.String({
  pattern: '^/(?![/\\\\])[^\\s\\\\#]*$',
  maxLength: 2_048,
  description: 'a path that starts with one /, without spaces, backslashes and #',
});
const Labels = Type.Record(AnyName, Text(256), { maxProperties: 256 });
const JsonSchemaField = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Boolean()]);

/** `agent_name`: lower case, digits, dot, underscore, hyphen; starts with a letter or digit. */
const AGENT_NAME_PATTERN = '^[a-z0-9][a-z0-9._-]{0,62}$';
/** A capability id: 1 to 128 characters of any script, no control characters, no space at the ends. */
const CAPABILITY_ID_PATTERN = '^(?!\\s)[^\\p{Cc}\\p{Cs}]{1,128}(?<!\\s)$';

export const CapabilitySchema = Type.Object({
  id: Type.String({
    pattern: CAPABILITY_ID_PATTERN,
    description: '1 to 128 characters without control characters, and no space at the ends',
  }),
  name: Line(256),
  description: Type.Optional(Text(MANIFEST_LIMITS.textChars)),
  examples: Type.Optional(
    Type.Array(Line(MANIFEST_LIMITS.textChars), { maxItems: MANIFEST_LIMITS.examples }),
  ),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 100 })),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  input_schema: Type.Optional(JsonSchemaField),
  output_schema: Type.Optional(JsonSchemaField),
  equivalent_to: Type.Optional(
    Type.Array(Type.String({ pattern: '^[^/]+/.+$', description: '"agent_name/capability_id"' }), {
      maxItems: 100,
    }),
  ),
  threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  deadline_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.deadlineMs })),
  expected_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.deadlineMs })),
  idempotent: Type.Optional(Type.Boolean()),
  instance_strategy: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  degrade: Type.Optional(
    Type.Union([
      Type.Object({ kind: Type.Literal('canned'), value: Type.Unknown() }),
      Type.Object({ kind: Type.Literal('last_good'), max_age_ms: Type.Integer({ minimum: 1 }) }),
    ]),
  ),
});

const InstanceSchema = Type.Object({
  instance_id: Line(128),
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

/** The `agent_name` of a manifest. */
export const AgentName = Type.String({
  pattern: AGENT_NAME_PATTERN,
  description: '1 to 63 lower-case letters, digits, dots, underscores or hyphens, a letter or digit first',
});

/** A manifest as a team writes it. Unknown fields are kept and ignored, so nothing here is closed. */
export const ManifestSchema = Type.Object({
  agent_name: AgentName,
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
  execute_endpoint: Type.Optional(Endpoint),
  health_endpoint: Type.Optional(Endpoint),
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

/** What answers in the place of a failure. */
export type Degrade = NonNullable<CapabilityInput['degrade']>;

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
  readonly degrade: Degrade | undefined;
  /** By which strategy an instance is chosen; one that nobody knows is the default. */
  readonly instanceStrategy: string | undefined;
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
