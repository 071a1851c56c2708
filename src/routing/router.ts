import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Embedder } from '../embedding/embedder.js';
import { type BySpace, embedIntent } from '../embedding/embedding-space.js';
import { ReachError } from '../errors.js';
import type { InstanceViews } from '../health/instance-view.js';
import type { Degrade } from '../manifest/schema.js';
import type { Agent } from '../registry/catalogue.js';
import type { Registry } from '../registry/registry.js';
import type { CatalogueIndex } from '../retrieval/catalogue-index.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { Rule } from '../rules/rule.js';
import { keyOfTarget } from '../rules/rule-names.js';
import type { CallEnd } from '../running-calls.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import { CandidateCache, candidateKey } from './candidate-cache.js';
import { CandidateSet, type Found, type Meaning } from './candidate-set.js';
import type { Affinity, Conversation } from './conversation.js';
import { decide, groupsNeeded } from './decide.js';
import type { DecisionObserver } from './decision-observer.js';
import { explained, explanationOf } from './explanation.js';
import { filteredBy, hiddenBy } from './filter.js';
import { followUpOf, isResumed } from './follow-up.js';
import { standInsOf } from './group-stand-ins.js';
import type { InstanceChoice } from './instance-choice.js';
import { LiveRules, type RuledRequest } from './live-rules.js';
import { missingOf } from './missing-fields.js';
import { OpenQuestions } from './open-questions.js';
import { type Ask, readRequest, type Search } from './read-request.js';
import { ruledFirst } from './ruled-first.js';
import { type ScoredCandidate, unsearched } from './scored-candidate.js';
import type { DecidedRoute, DecideInput } from './verdict.js';
import type { Weights } from './weights.js';

export interface RouterParts {
  readonly registry: Registry;
  readonly index: CatalogueIndex;
  readonly embedders: BySpace<Embedder>;
  readonly instances: InstanceViews;
  readonly choice: InstanceChoice;
  readonly weights: Weights;
  readonly clock: Clock;
  /** The configuration's global threshold; null: that of the weights. */
  readonly threshold: number | null;
  readonly fallbackAgent: string | null;
  /** The rules in force, in the order in which they are asked; another array where they have changed. */
  readonly rules: () => readonly Rule[];
  readonly observers: readonly DecisionObserver[];
}

/** A decision, the request that it is about (the given one, or the clarified one that it completes), and what a dispatch needs beside. */
export interface Routed {
  readonly decision: Decision;
  readonly request: RouteRequest;
  /** `agent_name/capability_id` of those who may take the work where the target fails, the most useful first. */
  readonly standIns: readonly string[];
  /** What a rule has answer in the place of a failure. */
  readonly degrade: Degrade | undefined;
  /** Whom its session stays with. */
  readonly affinity: Affinity | undefined;
}

/** What came of one look at the catalogue. Times in ms; `embed` counts from the start of the route. */
interface Judged {
  readonly found: Found;
  readonly input: DecideInput;
  readonly verdict: DecidedRoute;
  readonly timing: Omit<Decision['timingMs'], 'total'>;
  readonly catalogueVersion: number;
}

/** Walks embed -> retrieve -> decide -> live view. The one room of routing that waits for anything or reads a clock. */
export class Router {
  readonly #parts: RouterParts;
  readonly #questions = new OpenQuestions();
  readonly #cache = new CandidateCache();
  #liveRules:
    | { readonly rules: readonly Rule[]; readonly version: number; readonly live: LiveRules }
    | undefined;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  /**
   * Decides on a request; `conversation` is what is known of the one that it belongs to.
   * @throws ReachError INVALID_REQUEST, AGENT_UNKNOWN, CAPABILITY_UNKNOWN, ROUTE_UNKNOWN, and those of Embedder.embed
   */
  async route(
    given: RouteRequest,
    end: Partial<CallEnd> = {},
    { topic, affinity }: Conversation = {},
  ): Promise<Routed> {
    const { clock, embedders, weights } = this.#parts;
    const start = clock.monotonic();
    const ask = readRequest(given, this.#questionOf(given.routeId));
    const { agentName } = ask.request;
    if (agentName !== undefined) this.#parts.registry.agent(agentName);
    const watched = this.#parts.observers.some((observer) => observer.wantsExplained?.(ask.request));
    const find = this.#find(ask, watched, end);
    const alone = this.#judge(ask, typeof find === 'function' ? find : await find, start, affinity);
    const followUp = topic && followUpOf(ask, alone.verdict, topic);
    const together =
      followUp && this.#judge(followUp, await this.#find(followUp, watched, end), start, affinity);
    const resumed = topic !== undefined && together !== undefined && isResumed(together, alone, topic);
    const { input, found, verdict, timing, catalogueVersion } = resumed ? together : alone;
    const decision: Decision = {
      routeId: `rt_${randomUUID()}`,
      ...verdict,
      ...(resumed && { resumed }),
      timingMs: { ...timing, total: clock.monotonic() - start },
      catalogueVersion,
      weightsVersion: weights.version,
      ...(ask.request.explain && explanationOf(ask.request, found, weights)),
      model: embedders.main.model.name,
    };
    this.#tell(decision, ask.request, watched ? explained(decision, input, found, ask.request) : undefined);
    if (decision.outcome === 'clarify') this.#remember(decision, ask.request);
    const { targetAgent, instanceId } = decision;
    if (targetAgent !== null && instanceId !== null) this.#parts.choice.takeTurn(targetAgent);
    return {
      decision,
      request: ask.request,
      standIns: standInsOf(verdict, input),
      degrade: this.#degradeOf(decision, input.rules),
      affinity,
    };
  }

  #find(ask: Ask, watched: boolean, end: Partial<CallEnd>): (() => Found) | Promise<() => Found> {
    return ask.kind === 'find' ? this.#lookUp(ask, watched, end) : () => this.#named(ask);
  }

  /** Nothing waits here: the catalogue, the index and the live views are those of one moment. `start`: of the route. */
  #judge(ask: Ask, find: () => Found, start: number, affinity: Affinity | undefined): Judged {
    const { clock, index } = this.#parts;
    const embedded = clock.monotonic();
    const searched = find();
    const retrieved = clock.monotonic();
    const rules = this.#rules().of(ask);
    const found = ruledFirst(searched, rules);
    const input = this.#decideInput(ask.request, found, rules, affinity);
    const verdict = decide(input);
    const timing = {
      embed: embedded - start,
      retrieve: retrieved - embedded,
      decide: clock.monotonic() - retrieved,
    };
    return { found, input, verdict, timing, catalogueVersion: index.version };
  }

  #tell(decision: Decision, request: RouteRequest, explained: Decision | undefined): void {
    const { observers, clock } = this.#parts;
    if (observers.length === 0) return;
    const made = { atMs: clock.now(), request, decision, ...(explained && { explained }) };
    for (const observer of observers) observer.decided(made);
  }

  /**
   * Looks for an intent in the catalogue of the moment in which the function is called: at once. What was asked a
   * moment ago, while the catalogue is still the same, need not be waited for. What is watched is looked up as one
   * that asks to be explained: it finds the same, and more that nobody else is told of.
   */
  #lookUp(ask: Search, watched: boolean, end: Partial<CallEnd>): (() => Found) | Promise<() => Found> {
    const { index, clock, weights } = this.#parts;
    const request = watched ? { ...ask.request, explain: true } : ask.request;
    const { payload } = request;
    const key = candidateKey(ask, groupsNeeded(request, weights));
    const known = this.#cache.get(key, index.version, clock.monotonic());
    if (known !== undefined) return () => known.foundFor(payload);
    return this.#understand(ask, end).then((meaning) => () => {
      const set = new CandidateSet(index.capabilities, request, meaning, weights);
      this.#cache.set(key, set, index.version, clock.monotonic());
      return set.foundFor(payload);
    });
  }

  async #understand({ intent, request }: Search, { signal }: Partial<CallEnd>): Promise<Meaning> {
    const { embedders, index } = this.#parts;
    const wanted = { intent, fields: Object.keys(request.payload ?? {}) };
    const embedding = embedIntent(embedders, intent, signal === undefined ? {} : { signal });
    // Meanwhile the model computes in its own process.
    const clues = index.capabilities.clues(wanted);
    const { filter = {} } = request;
    const accepts = (capability: IndexedCapability) => filteredBy(capability, filter) === undefined;
    clues.best(accepts);
    return { ...wanted, accepts, vectors: await embedding, clues };
  }

  #questionOf(routeId: string | undefined) {
    if (routeId === undefined) return undefined;
    const question = this.#questions.find(routeId, this.#parts.clock.monotonic());
    if (question === undefined)
      throw new ReachError('ROUTE_UNKNOWN', `No open question has the route_id ${routeId}.`);
    return question;
  }

  #remember({ routeId, targetAgent, capabilityId, choices = [] }: Decision, request: RouteRequest): void {
    const named = targetAgent !== null && capabilityId !== null;
    const target = named ? { agentName: targetAgent, capabilityId } : undefined;
    const offered = named ? [{ agentName: targetAgent, capabilityId }] : choices;
    const keys = offered.map((choice) => capabilityKey(choice.agentName, choice.capabilityId));
    this.#questions.ask(routeId, { request, target, choices: keys }, this.#parts.clock.monotonic());
  }

  /** As with timeouts: what the rule that chose the target says, else the one that sets something for it. */
  #degradeOf({ ruleId, targetAgent, capabilityId }: Decision, rules: RuledRequest): Degrade | undefined {
    if (ruleId === undefined || targetAgent === null || capabilityId === null) return undefined;
    const chosen = this.#parts.rules().find(({ id }) => id === ruleId);
    const target = this.#parts.index.capabilities.get(capabilityKey(targetAgent, capabilityId));
    return chosen?.degrade ?? (target && rules.settingFor(target)?.rule.degrade);
  }

  /** The caller named whom it wants: no search, no doubt; but nobody whom it may not see or has ruled out itself. */
  #named(ask: Exclude<Ask, Search>): Found {
    const { registry } = this.#parts;
    const capabilityId =
      ask.kind === 'capability' ? ask.capabilityId : onlyCapabilityOf(registry.agent(ask.agentName));
    const candidate = this.#unsearched(ask.agentName, registry.capability(ask.agentName, capabilityId).id);
    if (candidate === undefined || hiddenBy(candidate.indexed) !== undefined) {
      const key = capabilityKey(ask.agentName, capabilityId);
      throw new ReachError('CAPABILITY_UNKNOWN', `There is no capability ${key}.`);
    }
    const reason = filteredBy(candidate.indexed, ask.request.filter ?? {});
    if (reason !== undefined) return { groups: [], inputs: undefined, filtered: [{ candidate, reason }] };
    const group = { members: [candidate], relevance: 0, confidence: 1, declared: false };
    return { groups: [group], inputs: undefined, filtered: [] };
  }

  #unsearched(agentName: string, capabilityId: string): ScoredCandidate | undefined {
    const indexed = this.#parts.index.capabilities.get(capabilityKey(agentName, capabilityId));
    return indexed && unsearched(indexed);
  }

  /** The rules in force, looked up in the catalogue of the moment. */
  #rules(): LiveRules {
    const { rules, registry, index } = this.#parts;
    const current = { rules: rules(), version: index.version };
    const known = this.#liveRules;
    if (known?.rules === current.rules && known.version === current.version) return known.live;
    const live = new LiveRules(current.rules, (name) => {
      const key = keyOfTarget(name, registry.snapshot);
      return key === undefined ? undefined : index.capabilities.get(key);
    });
    this.#liveRules = { ...current, live };
    return live;
  }

  #decideInput(
    request: RouteRequest,
    { groups, filtered }: Found,
    rules: RuledRequest,
    affinity: Affinity | undefined,
  ): DecideInput {
    const { instances, choice, weights, threshold } = this.#parts;
    const { payload } = request;
    return {
      groups,
      filtered,
      payloadSent: payload !== undefined && payload !== null,
      missingOf: missingOf(payload),
      threshold: { request: request.threshold, global: threshold },
      rules,
      fallback: this.#fallback(request),
      topK: request.topK ?? weights.top_k,
      explain: request.explain ?? false,
      utility: {
        instancesOf: (agentName) => instances.instancesOf(agentName),
        prefer: request.prefer ?? {},
        region: request.region,
        hint: request.hint,
        sessionId: request.sessionId,
        userId: request.userId,
        affinity,
        choice,
        turnOf: (agentName) => choice.turnOf(agentName),
      },
      weights,
    };
  }

  #fallback({ filter = {} }: RouteRequest): ScoredCandidate | undefined {
    const { fallbackAgent, registry } = this.#parts;
    if (fallbackAgent === null) return undefined;
    const [first] = registry.snapshot.agents.get(fallbackAgent)?.manifest.capabilities ?? [];
    const candidate = first && this.#unsearched(fallbackAgent, first.id);
    return candidate && filteredBy(candidate.indexed, filter) === undefined ? candidate : undefined;
  }
}

function onlyCapabilityOf({ manifest: { agentName, capabilities } }: Agent): string {
  const [only, second] = capabilities;
  if (only !== undefined && second === undefined) return only.id;
  const expected = `an intent, or one of ${capabilities.map(({ id }) => id).join(', ')}`;
  throw new ReachError('INVALID_REQUEST', `${agentName} has several capabilities: expected ${expected}.`, {
    errors: [{ pointer: '/capability_id', expected, received: 'nothing' }],
  });
}
