import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { Nullable } from './nullable.js';
import { PayloadFieldsSchema } from './payload-fields.js';
import { DecisionSchema } from './route.js';
import { Time } from './schema-parts.js';

const State = (description: string) => Nullable(Type.String({ description }));

/** One change of an instance, or, where `agent` and `instance` are null, a notice about the service itself. */
export const ChangeSchema = Type.Object({
  seq: Type.Integer({ description: 'Grows by one with every change since the service started.' }),
  at: Time('When'),
  agent: Nullable(Type.String({ description: 'Null, with all but reason, in a notice about the service.' })),
  instance: Nullable(Type.String()),
  from: State('Its state before; null: it came.'),
  to: State('Its state now; null: it went.'),
  reason: Type.String({ description: 'One short phrase for a person.' }),
  addr_version: Nullable(Type.Integer()),
});
export type ChangeWire = Static<typeof ChangeSchema>;
export type Change = Camel<ChangeWire>;

/** Changes that happened and cannot be told any more. */
export const GapSchema = Type.Object({
  from_seq: Nullable(
    Type.Integer({ description: 'The first of them; null where they began before the service started.' }),
  ),
  to_seq: Type.Integer({ description: 'The last of them.' }),
});
export type GapWire = Static<typeof GapSchema>;
export type Gap = Camel<GapWire>;

const { properties: decided } = DecisionSchema;

/** A decision as a watcher sees it: with every candidate that was looked at, as with `explain`. */
export const WatchedDecisionSchema = Type.Object({
  route_id: decided.route_id,
  at: Time('When'),
  intent: Nullable(Type.String({ description: 'Null where the caller only named its target.' })),
  payload_fields: PayloadFieldsSchema,
  outcome: decided.outcome,
  reason: decided.reason,
  target_agent: decided.target_agent,
  capability_id: decided.capability_id,
  instance_id: decided.instance_id,
  confidence: decided.confidence,
  threshold: decided.threshold,
  candidates: decided.candidates,
  timing_ms: decided.timing_ms,
});
export type WatchedDecisionWire = Static<typeof WatchedDecisionSchema>;
export type WatchedDecision = Camel<WatchedDecisionWire>;

/** Decisions that a reader was too slow for. */
export const LostSchema = Type.Object({ count: Type.Integer() });
export type Lost = Static<typeof LostSchema>;

/** What a follower of changes is told, in order. `id` resumes after it. */
export type ChangeEvent =
  | { readonly event: 'change'; readonly id: string; readonly data: Change }
  | { readonly event: 'gap'; readonly id: string; readonly data: Gap };

/** What a watcher of decisions is told, in order. */
export type DecisionEvent =
  | { readonly event: 'decision'; readonly data: WatchedDecision }
  | { readonly event: 'lost'; readonly data: Lost };

/** Which changes are meant; all of them where nothing is named. */
export interface ChangeFilter {
  readonly agent?: string;
  /** The id of a capability that the agent has, of whatever agent, or `agent_name/id`. */
  readonly capability?: string;
}

export const changeCodec = codecOf<typeof ChangeSchema, ChangeWire>(ChangeSchema);
export const gapCodec = codecOf<typeof GapSchema, GapWire>(GapSchema);
export const watchedDecisionCodec = codecOf<typeof WatchedDecisionSchema, WatchedDecisionWire>(
  WatchedDecisionSchema,
);
