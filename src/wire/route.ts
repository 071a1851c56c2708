import { type Static, Type } from 'typebox';
import { AnyName } from './any-name.js';
import { type Camel, codecOf } from './codec.js';
import { LIMITS } from './limits.js';
import { Nullable } from './nullable.js';
import { closed, Id } from './schema-parts.js';

const Fraction = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const Labels = Type.Record(AnyName, Type.String({ maxLength: LIMITS.idChars }), {
  maxProperties: LIMITS.filterItems,
  description: 'Labels that must all be there with these values.',
});

const Prefer = Type.Object(
  {
    reachability_score: Type.Optional(Fraction('Weight of reachability, default 0.5.')),
    latency: Type.Optional(Fraction('Weight of low latency, default 0.3.')),
    affinity: Type.Optional(Fraction('Weight of staying with the agent of the session, default 0.2.')),
  },
  { ...closed, description: 'How to choose between equivalent capabilities.' },
);

const Filter = Type.Object(
  {
    agents: Type.Optional(Type.Array(Id('An agent name.'), { maxItems: LIMITS.filterItems })),
    tags: Type.Optional(
      Type.Array(Type.String({ maxLength: LIMITS.idChars }), {
        maxItems: LIMITS.filterItems,
        description: 'Tags that the capability must all have.',
      }),
    ),
    labels: Type.Optional(Labels),
    team: Type.Optional(Id('Only agents of this team.')),
  },
  { ...closed, description: 'Which capabilities may be chosen at all.' },
);

/** The fields that a route and a dispatch request share. */
export const routeRequestFields = {
  intent: Type.Optional(
    Type.String({
      description: 'What is needed, in plain language: 1 to 20,000 characters after trimming.',
    }),
  ),
  agent_name: Type.Optional(Id('Ask this agent instead of searching for one.')),
  capability_id: Type.Optional(
    Id('Take this capability instead of searching: `agent_name/id`, or the id where agent_name is given.'),
  ),
  payload: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'The data for the work; its field names help to find the right capability.',
    }),
  ),
  session_id: Type.Optional(Id('The conversation that this belongs to.')),
  user_id: Type.Optional(Id('The person behind the request.')),
  prefer: Type.Optional(Prefer),
  filter: Type.Optional(Filter),
  region: Type.Optional(Id('Prefer instances of this region.')),
  hint: Type.Optional(Id('An instance_id to try first.')),
  top_k: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.topK,
      description: 'How many candidates to list at most, default 5.',
    }),
  ),
  threshold: Type.Optional(Fraction('The least confidence to act on; 0 takes the best whatever it is.')),
  explain: Type.Optional(Type.Boolean({ description: 'List also what was filtered out, and every signal.' })),
  route_id: Type.Optional(Id('The clarify that this answers, with choice or a fuller payload.')),
  choice: Type.Optional(Id('The chosen capability, as `agent_name/capability_id`.')),
};

export const RouteRequestSchema = Type.Object(routeRequestFields, closed);
export type RouteRequestWire = Static<typeof RouteRequestSchema>;
export type RouteRequest = Camel<RouteRequestWire>;

const ChoiceSchema = Type.Object({
  agent_name: Type.String(),
  capability_id: Type.String(),
  name: Type.String(),
  confidence: Type.Number(),
});

const CandidateSchema = Type.Object({
  agent_name: Type.String(),
  capability_id: Type.String(),
  similarity: Type.Number({ description: 'The best cosine of the intent to a text of the capability.' }),
  lexical: Type.Number({ description: 'Overlap of words and character pairs, 0..1.' }),
  coverage: Nullable(
    Type.Number({ description: 'How well the payload fits the input schema, 0..1; null without a payload.' }),
  ),
  relevance: Type.Number({ description: 'How well meaning and payload fit, a raw number.' }),
  confidence: Type.Number({ description: 'Probability that the group of this capability is the right one.' }),
  reachability: Type.Number({
    description: 'Of the instance that would take the work, 0..1; without one, the best of the agent.',
  }),
  load: Type.Number({ description: 'pending / max_concurrency of that instance, 0..1.' }),
  priority: Type.Integer(),
  score: Type.Number({ description: 'Confidence times utility.' }),
  excluded_by: Type.Optional(Type.String({ description: 'Why it was not chosen.' })),
  matched_example: Type.Optional(
    Type.String({ description: 'Its example that is nearest to the intent; only with explain.' }),
  ),
  signals: Type.Optional(
    Type.Record(Type.String(), Type.Number(), { description: 'Every signal by name; only with explain.' }),
  ),
});

const OUTCOMES = ['routed', 'clarify', 'unreachable', 'fallback', 'human'] as const;

export const DecisionSchema = Type.Object({
  route_id: Type.String(),
  outcome: Type.Enum([...OUTCOMES]),
  reason: Type.String({ description: 'One sentence: why this outcome.' }),
  target_agent: Nullable(Type.String()),
  capability_id: Nullable(Type.String()),
  instance_id: Nullable(Type.String()),
  target_address: Nullable(Type.String()),
  addr_version: Nullable(Type.Number()),
  confidence: Type.Number(),
  threshold: Type.Number(),
  score: Type.Number(),
  rule_id: Type.Optional(
    Type.String({
      description:
        'The rule that chose the target, or else the one that sets something for it or its threshold.',
    }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({ description: 'How long the call may take by a rule, where the caller says nothing.' }),
  ),
  resumed: Type.Optional(
    Type.Boolean({ description: 'The intent was understood by what its session was about before.' }),
  ),
  session_unavailable: Type.Optional(
    Type.Boolean({ description: 'The session could not be read; it was gone on without.' }),
  ),
  choices: Type.Optional(Type.Array(ChoiceSchema)),
  missing_fields: Type.Optional(
    Type.Array(Type.String(), { description: 'JSON pointers into the payload that the target needs.' }),
  ),
  retry_after_ms: Type.Optional(Type.Number()),
  ticket_id: Type.Optional(Nullable(Type.String())),
  candidates: Type.Array(CandidateSchema),
  timing_ms: Type.Object({
    embed: Type.Number(),
    retrieve: Type.Number(),
    decide: Type.Number(),
    total: Type.Number(),
  }),
  catalogue_version: Type.Integer(),
  weights_version: Type.String(),
  signal_weights: Type.Optional(
    Type.Record(Type.String(), Type.Number(), {
      description: 'What each signal counts in the relevance, by name; only with explain.',
    }),
  ),
  confidence_inputs: Type.Optional(
    Type.Record(Type.String(), Type.Number(), {
      description:
        'What the confidence in the best group was made of, by name; only with explain, and not where nothing had to be weighed: for a named target, a declared example or the target of a rule.',
    }),
  ),
  model: Type.String(),
});
export type DecisionWire = Static<typeof DecisionSchema>;
/** What routing decided and why. `targetAgent` and the rest are null where the outcome names no target. */
export type Decision = Camel<DecisionWire>;
export type Candidate = Decision['candidates'][number];

export const routeRequestCodec = codecOf<typeof RouteRequestSchema, RouteRequestWire>(RouteRequestSchema);
export const decisionCodec = codecOf<typeof DecisionSchema, DecisionWire>(DecisionSchema);
