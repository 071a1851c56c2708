import { capabilityKey } from '../wire/capability-key.js';
import type { Candidate, Decision, RouteRequest } from '../wire/route.js';
import type { CapabilityNames } from './capability-names.js';
import type { Mark } from './figures.js';
import type { LabelledQuery } from './labelled-query.js';

/** Who is judged: the façade over a catalogue of its own. */
export interface JudgedReach {
  /** As `Reach.publish`. */
  publish(document: unknown): Promise<unknown>;
  /** As `Reach.route`. */
  route(request: RouteRequest): Promise<Decision>;
  /** The least confidence to route on where neither request nor capability names one, 0..1. */
  readonly threshold: number;
}

/** How queries are put. */
export interface Asking {
  /** False: payloads are withheld. */
  readonly payload: boolean;
  /** Undefined: that of each capability, or the service's. */
  readonly threshold: number | undefined;
  /** How many candidates are kept. */
  readonly topK: number;
}

/** The answer to a query, held against its label. */
export interface JudgedQuery {
  readonly query: LabelledQuery;
  /** The label of the best capability; null where there is none. */
  readonly predicted: string | null;
  readonly decision: Decision;
  readonly mark: Mark;
}

/** A right one must be among so many to count for `top5`. */
const FIRST = 5;

export function requestOf({ intent, payload }: LabelledQuery, asking: Asking): RouteRequest {
  return {
    intent,
    payload: asking.payload ? payload : null,
    topK: Math.max(asking.topK, FIRST),
    ...(asking.threshold !== undefined && { threshold: asking.threshold }),
  };
}

/** Whether a candidate or a choice is one of those that a label calls right. */
export function isExpected(
  { agentName, capabilityId }: Pick<Candidate, 'agentName' | 'capabilityId'>,
  { expected }: LabelledQuery,
  names: CapabilityNames,
): boolean {
  const key = capabilityKey(agentName, capabilityId);
  return expected.some((label) => names.keysOf(label).includes(key));
}

function judged(query: LabelledQuery, decision: Decision, names: CapabilityNames): JudgedQuery {
  const { candidates } = decision;
  const [best] = candidates;
  const place = candidates.findIndex((candidate) => isExpected(candidate, query, names));
  return {
    query,
    predicted: best === undefined ? null : names.nameOf(best.agentName, best.capabilityId),
    decision,
    mark: {
      inScope: query.expected.length > 0,
      right: place === 0,
      rightInFive: place >= 0 && place < FIRST,
      confidence: best?.confidence ?? 0,
      lang: query.lang,
      latencyMs: decision.timingMs.total,
    },
  };
}

/**
 * Routes queries one after the other, as a caller would, and judges each answer.
 * @throws ReachError as `Reach.route`
 */
export async function* judgeQueries(
  queries: AsyncIterable<LabelledQuery> | Iterable<LabelledQuery>,
  reach: Pick<JudgedReach, 'route'>,
  names: CapabilityNames,
  asking: Asking,
): AsyncGenerator<JudgedQuery> {
  for await (const query of queries) {
    yield judged(query, await reach.route(requestOf(query, asking)), names);
  }
}

/** A judged query as a line of `--predictions`. */
export function predictionOf(
  { query, predicted, decision, mark }: JudgedQuery,
  names: CapabilityNames,
  topK: number,
) {
  return {
    intent: query.intent,
    expected: query.expected,
    predicted,
    confidence: mark.confidence,
    outcome: decision.outcome,
    candidates: decision.candidates.slice(0, topK).map(({ agentName, capabilityId, confidence, score }) => ({
      capability_id: names.nameOf(agentName, capabilityId),
      confidence,
      score,
    })),
  };
}
