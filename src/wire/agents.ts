import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { LIMITS } from './limits.js';
import { Time } from './schema-parts.js';

const InstanceSummarySchema = Type.Object({
  instance_id: Type.String(),
  address: Type.String(),
  state: Type.String(),
  reachability: Type.Number(),
  pending: Type.Integer(),
});

const SourceSchema = Type.Enum(['api', 'folder'], { description: 'Who owns the manifest.' });

const agentFields = {
  agent_name: Type.String(),
  manifest_version: Type.Integer(),
  team: Type.String(),
  source: SourceSchema,
  capabilities: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      description: Type.String(),
      priority: Type.Integer(),
    }),
  ),
  instances: Type.Array(InstanceSummarySchema),
};

export const AgentSummarySchema = Type.Object(agentFields);
export type AgentSummaryWire = Static<typeof AgentSummarySchema>;
export type AgentSummary = Camel<AgentSummaryWire>;

export const AgentListSchema = Type.Object({
  agents: Type.Array(AgentSummarySchema),
  catalogue_version: Type.Integer(),
});
export type AgentListWire = Static<typeof AgentListSchema>;
export type AgentList = Camel<AgentListWire>;

export const AgentDetailSchema = Type.Object({
  ...agentFields,
  manifest: Type.Unknown({ description: 'The manifest as its team wrote it.' }),
});
export type AgentDetailWire = Static<typeof AgentDetailSchema>;
export type AgentDetail = Camel<AgentDetailWire>;

const BREAKING_KINDS = [
  'capability_removed',
  'removed',
  'retyped',
  'newly_required',
  'no_longer_required',
  'enum_narrowed',
  'enum_widened',
] as const;

const BreakingChangeSchema = Type.Object({
  capability_id: Type.String(),
  pointer: Type.String({
    description:
      'JSON pointer into the capability: as it was for what is gone, else as it is now. Empty: all of it.',
  }),
  kind: Type.Enum([...BREAKING_KINDS]),
  sentence: Type.String({ description: 'What broke, for a person.' }),
});
/** One thing on which callers of the version before relied, and can no longer. */
export type BreakingChange = Camel<Static<typeof BreakingChangeSchema>>;

const TakenSchema = Type.Object(
  {
    examples: Type.Integer({ description: 'Examples that were left out in turn and routed.' }),
    taken: Type.Integer({ description: 'How many of them went to the other capability.' }),
  },
  { description: 'Its examples, each routed as an intent as if the capability did not have it.' },
);

const CloseExamplesSchema = Type.Object({
  own: Type.String(),
  other: Type.String(),
  similarity: Type.Number({ description: 'Their cosine.' }),
});

export const OverlapSchema = Type.Object({
  capability: Type.String({ description: 'The capability, as `agent_name/id`.' }),
  other: Type.String({ description: 'One of another agent that takes its intents, as `agent_name/id`.' }),
  sentence: Type.String({ description: 'What was found, for a person.' }),
  similarity: Type.Number({ description: 'The cosine between their names and descriptions.' }),
  to_other: TakenSchema,
  from_other: TakenSchema,
  closest_examples: Type.Union([CloseExamplesSchema, Type.Null()], {
    description: 'An example of each, the two that lie closest; null where none was measured.',
  }),
  telling_words: Type.Object(
    { own: Type.Array(Type.String()), other: Type.Array(Type.String()) },
    { description: 'Words of the one that the texts of the other do not have, the most telling first.' },
  ),
});
export type OverlapWire = Static<typeof OverlapSchema>;
/** Two capabilities of different agents that are so close that intents for one go to the other. */
export type Overlap = Camel<OverlapWire>;

export const PublishAnswerSchema = Type.Object({
  agent_name: Type.String(),
  manifest_version: Type.Integer(),
  catalogue_version: Type.Integer(),
  breaking: Type.Array(BreakingChangeSchema, {
    description: 'What broke against the version that served until now; at most 50 are listed.',
  }),
  overlaps: Type.Union([Type.Array(OverlapSchema), Type.Null()], {
    description:
      'Capabilities of other agents that take its intents, or whose intents it takes: a warning. Looked for in the first 100 capabilities and their first 6 examples, 24 examples in all, those of the closest pairs; at most 50 are listed. Null where it could not be measured in time.',
  }),
});
export type PublishAnswerWire = Static<typeof PublishAnswerSchema>;
export type PublishAnswer = Camel<PublishAnswerWire>;

const manifestVersionFields = {
  manifest_version: Type.Integer(),
  published_at: Time('When it last became the current one'),
  source: SourceSchema,
  catalogue_version: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The catalogue in which it became the current one; null where that was not noted yet.',
  }),
  current: Type.Boolean({ description: 'Whether it serves now; no version of a removed agent does.' }),
};

export const ManifestHistorySchema = Type.Object({
  agent_name: Type.String(),
  manifests: Type.Array(Type.Object(manifestVersionFields), {
    maxItems: LIMITS.historyItems,
    description: 'Newest first.',
  }),
});
export type ManifestHistoryWire = Static<typeof ManifestHistorySchema>;
export type ManifestHistory = Camel<ManifestHistoryWire>;

export const StoredManifestSchema = Type.Object({
  agent_name: Type.String(),
  manifest_version: Type.Integer(),
  source: SourceSchema,
  manifest: Type.Unknown({ description: 'The manifest as its team wrote it.' }),
});
export type StoredManifestWire = Static<typeof StoredManifestSchema>;
export type StoredManifestAnswer = Camel<StoredManifestWire>;

export const RemoveAnswerSchema = Type.Object({
  agent_name: Type.String(),
  catalogue_version: Type.Integer(),
});
export type RemoveAnswerWire = Static<typeof RemoveAnswerSchema>;
export type RemoveAnswer = Camel<RemoveAnswerWire>;

export const agentListCodec = codecOf<typeof AgentListSchema, AgentListWire>(AgentListSchema);
export const agentDetailCodec = codecOf<typeof AgentDetailSchema, AgentDetailWire>(AgentDetailSchema);
export const publishAnswerCodec = codecOf<typeof PublishAnswerSchema, PublishAnswerWire>(PublishAnswerSchema);
export const manifestHistoryCodec = codecOf<typeof ManifestHistorySchema, ManifestHistoryWire>(
  ManifestHistorySchema,
);
export const storedManifestCodec = codecOf<typeof StoredManifestSchema, StoredManifestWire>(
  StoredManifestSchema,
);
export const removeAnswerCodec = codecOf<typeof RemoveAnswerSchema, RemoveAnswerWire>(RemoveAnswerSchema);
export const overlapCodec = codecOf<typeof OverlapSchema, OverlapWire>(OverlapSchema);
