import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';

const PartSchema = Type.Object({
  state: Type.Enum(['ok', 'starting', 'degraded', 'failed']),
  detail: Type.String({ description: 'One sentence for a person.' }),
});

/** The state of every part. `status` is the worst of them. */
export const HealthReportSchema = Type.Object({
  status: Type.Enum(['ok', 'starting', 'degraded', 'failed']),
  version: Type.String(),
  uptime_ms: Type.Integer(),
  catalogue: Type.Object({
    ...PartSchema.properties,
    version: Type.Integer(),
    agents: Type.Integer(),
    capabilities: Type.Integer(),
  }),
  embedding: Type.Object({
    ...PartSchema.properties,
    model: Type.String(),
    restarts: Type.Integer(),
    pending: Type.Integer(),
  }),
  vector_index: Type.Object({
    ...PartSchema.properties,
    kind: Type.Enum(['exact', 'graph'], {
      description: '`exact`: all vectors are compared one by one; `graph`: most lie in HNSW graphs.',
    }),
    vectors: Type.Integer(),
    building: Type.Boolean({ description: 'Whether a graph is being built; all is found meanwhile.' }),
  }),
  store: PartSchema,
  manifests: PartSchema,
  rules: PartSchema,
  reachability: PartSchema,
  replicas: Type.Object({
    ...PartSchema.properties,
    living: Type.Integer({ description: 'Replicas that share the store, this one among them.' }),
    replica_id: Type.String({ description: 'Of this one.' }),
  }),
  records: Type.Object({
    ...PartSchema.properties,
    waiting: Type.Integer({ description: 'Decisions that are not written yet.' }),
    lost: Type.Integer({ description: 'Decisions that could not be kept since the start.' }),
  }),
  tickets: Type.Object({
    ...PartSchema.properties,
    unresolved: Type.Integer({ description: 'Questions that wait for a person, or that one works on.' }),
  }),
  shadow: Type.Object({
    ...PartSchema.properties,
    answered: Type.Integer({ description: 'Intents that the weights in the shadow answered.' }),
    left_out: Type.Integer({ description: 'Intents that they could not keep up with, or that failed.' }),
    waiting: Type.Integer({ description: 'Intents that wait for them.' }),
  }),
  outbox: Type.Object({
    ...PartSchema.properties,
    waiting: Type.Integer({ description: 'Callbacks and webhooks that are not taken yet.' }),
  }),
});
export type HealthReportWire = Static<typeof HealthReportSchema>;
export type HealthReport = Camel<HealthReportWire>;
export type PartState = HealthReport['status'];

export const healthReportCodec = codecOf<typeof HealthReportSchema, HealthReportWire>(HealthReportSchema);
