import { type Static, Type } from 'typebox';
import type { IntentPattern } from '../manifest/intent-match.js';
import { CapabilitySchema, type Degrade, ManifestSchema } from '../manifest/schema.js';
import { codecOf } from '../wire/codec.js';
import { LIMITS } from '../wire/limits.js';

/** Bounds on a file of rules: every decision is held against all of them. */
export const RULE_LIMITS = Object.freeze({
  bytes: 1_048_576,
  /** Objects, arrays and what they hold. */
  values: 100_000,
  rules: 1_000,
  /** Rules whose intent is a regular expression. */
  expressions: 100,
  payloadFields: 100,
});

const closed = { additionalProperties: false } as const;

const CapabilityName = Type.String({
  pattern: '^[^/]+/.+$',
  maxLength: LIMITS.idChars,
  description: '"agent_name/capability_id"',
});
const TargetName = Type.String({
  pattern: '^[^/]+(/.+)?$',
  maxLength: LIMITS.idChars,
  description: '"agent_name/capability_id", or the name of an agent with one capability',
});

const WhenSchema = Type.Object(
  {
    capability: Type.Optional(CapabilityName),
    agent: Type.Optional(ManifestSchema.properties.agent_name),
    intent: Type.Optional(Type.String()),
    tags: CapabilitySchema.properties.tags,
    labels: ManifestSchema.properties.labels,
    payload_fields: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.idChars }), {
        maxItems: RULE_LIMITS.payloadFields,
      }),
    ),
  },
  closed,
);

const RuleSchema = Type.Object(
  {
    id: Type.String({ pattern: '\\S', maxLength: 128, description: 'text that is not blank' }),
    order: Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 })),
    kind: Type.Optional(Type.Enum(['before', 'fallback'])),
    when: Type.Optional(WhenSchema),
    target: Type.Optional(TargetName),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.deadlineMs })),
    threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    degrade: CapabilitySchema.properties.degrade,
    fallback: Type.Optional(TargetName),
  },
  closed,
);

/** A file of rules as a person writes it. Unknown fields are refused: a misspelt condition would widen a rule. */
export const RulesSchema = Type.Object(
  { rules: Type.Array(RuleSchema, { maxItems: RULE_LIMITS.rules }) },
  closed,
);
export type RulesDocument = Static<typeof RulesSchema>;
export const rulesCodec = codecOf<typeof RulesSchema, RulesDocument>(RulesSchema);

/**
 * What must hold for a rule to count, all of it. `intent` and `payloadFields` speak of the request. The others speak,
 * in a rule with a target, of what the caller asks for: the agent that it names beside its intent, the tags and
 * labels of its filter; in a rule without one, of the capability that is judged.
 */
export interface RuleCondition {
  readonly capability: string | undefined;
  readonly agent: string | undefined;
  readonly intent: IntentPattern | undefined;
  readonly tags: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly payloadFields: readonly string[];
}

/** What a person has ordered of routing. Without a target it only sets how a capability is judged and called. */
export interface Rule {
  readonly id: string;
  /** `before`: asked ahead of semantics; `fallback`: where the confidence is too low. */
  readonly kind: 'before' | 'fallback';
  readonly when: RuleCondition;
  /** `agent_name/capability_id`, or an agent with one capability. */
  readonly target: string | undefined;
  /** As `target`: takes over where no instance of what was chosen can take work. */
  readonly fallback: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly threshold: number | undefined;
  readonly degrade: Degrade | undefined;
}
