import { type Static, Type } from 'typebox';
import { checkOf } from '../wire/check.js';

const Count = Type.Integer({ minimum: 0 });
const Ms = Type.Number({ minimum: 0 });

/** All that the probes of an instance have come to. */
const ProbesSeenSchema = Type.Object({
  window: Type.Object({ bits: Count, count: Count }),
  standing: Type.Object({
    kind: Type.Enum(['fine', 'down', 'fenced']),
    why: Type.String(),
    notBackForMs: Ms,
    failures: Count,
    successes: Count,
    heartbeatAmongFailures: Type.Boolean(),
  }),
  rttMs: Ms,
  /** What a probe was told that found a login missing; null: none is. */
  login: Type.Union([Type.String(), Type.Null()]),
  suspect: Type.Boolean(),
});
export type ProbesSeen = Static<typeof ProbesSeenSchema>;

const FindingSchema = Type.Union([
  /** A probe has ended. All that was seen is told with each, so that a message that was lost leaves nothing behind. */
  Type.Object({ kind: Type.Literal('probes'), probes: ProbesSeenSchema }),
  /** A call found no connection, or lost it. */
  Type.Object({ kind: Type.Literal('suspect') }),
  /** A call was answered where that was in doubt. */
  Type.Object({ kind: Type.Literal('answered') }),
  /** A call found a login missing; 0: one found that none is any more. */
  Type.Object({ kind: Type.Literal('login'), missingForMs: Ms }),
  /** A breaker has opened for so long, or closed (null). */
  Type.Object({
    kind: Type.Literal('breaker'),
    capabilityId: Type.String(),
    openForMs: Type.Union([Ms, Type.Null()]),
  }),
  /** So many calls of one replica are under way. */
  Type.Object({ kind: Type.Literal('load'), inFlight: Count }),
]);
/** What one replica has seen of an instance, and the others have not. */
export type Finding = Static<typeof FindingSchema>;

const HealthNewsSchema = Type.Object({
  agentName: Type.String(),
  instanceId: Type.String(),
  /** Where it was seen: what was seen elsewhere says nothing. */
  address: Type.String(),
  finding: FindingSchema,
});
export type HealthNews = Static<typeof HealthNewsSchema>;

const check = checkOf(HealthNewsSchema);

/** Whether a message is one that this version understands. */
export function isHealthNews(message: unknown): message is HealthNews {
  return check(message).length === 0;
}
