import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';

const InstanceSummarySchema = Type.Object({
  instance_id: Type.String(),
  address: Type.String(),
  state: Type.String(),
  reachability: Type.Number(),
  pending: Type.Integer(),
});

const agentFields = {
  agent_name: Type.String(),
  manifest_version: Type.Integer(),
  team: Type.String(),
  source: Type.Enum(['api', 'folder'], { description: 'Who owns the manifest.' }),
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

export const PublishAnswerSchema = Type.Object({
  agent_name: Type.String(),
  manifest_version: Type.Integer(),
  catalogue_version: Type.Integer(),
  breaking: Type.Array(BreakingChangeSchema, {
    description: 'What broke against the version that served until now; at most 50 are listed.',
  }),
});
export type PublishAnswerWire = Static<typeof PublishAnswerSchema>;
export type PublishAnswer = Camel<PublishAnswerWire>;

export const RemoveAnswerSchema = Type.Object({
  agent_name: Type.String(),
  catalogue_version: Type.Integer(),
});
export type RemoveAnswerWire = Static<typeof RemoveAnswerSchema>;
export type RemoveAnswer = Camel<RemoveAnswerWire>;

export const agentListCodec = codecOf<typeof AgentListSchema, AgentListWire>(AgentListSchema);
export const agentDetailCodec = codecOf<typeof AgentDetailSchema, AgentDetailWire>(AgentDetailSchema);
export const publishAnswerCodec = codecOf<typeof PublishAnswerSchema, PublishAnswerWire>(PublishAnswerSchema);
export const removeAnswerCodec = codecOf<typeof RemoveAnswerSchema, RemoveAnswerWire>(RemoveAnswerSchema);
