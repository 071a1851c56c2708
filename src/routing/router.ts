import { randomUUID } from 'node:crypto';
import { ReachError } from '../errors.js';
import type { InstanceViews } from '../health/instance-view.js';
import type { Degrade } from '../manifest/schema.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { agentIn } from '../registry/catalogue-names.js';
import type { Rule } from '../rules/rule.js';
import { keyOfTarget } from '../rules/rule-names.js';
import type { CallEnd } from '../running-calls.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import type { Found } from './candidate-set.js';
import { CatalogueSearch, type CatalogueSearchParts } from './catalogue-search.js';
import type { Affinity, Conversation } from './conversation.js';
import { decide } from './decide.js';
import type { DecisionObserver } from './decision-observer.js';
import { explained, explanationOf } from './explanation.js';
import { followUpOf, isResumed } from './follow-up.js';
import { standInsOf } from './group-stand-ins.js';
import type { InstanceChoice } from './instance-choice.js';
import { LiveRules, type RuledRequest } from './live-rules.js';
import { missingOf } from './missing-fields.js';
import { fallbackFor, foundByName } from './named-capability.js';
import { OpenQuestions } from './open-questions.js';
import { type Ask, readRequest } from './read-request.js';
import { ruledFirst } from './ruled-first.js';
import type { DecidedRoute, DecideInput } from './verdict.js';
import type { Weights } from './weights.js';

export interface RouterParts extends CatalogueSearchParts {
  readonly catalogue: () => CatalogueSnapshot;
  readonly instances: InstanceViews;
  readonly choice: InstanceChoice;
  /** Those in force; asked for once a decision. */
  readonly weights: () => Weights;
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

/** What stays the same for all of one route. */
interface Walk {
  /** Monotonic. */
  readonly start: number;
  readonly weights: Weights;
  /** Somebody who follows decisions wants this one explained. */
  readonly watched: boolean;
  readonly end: Partial<CallEnd>;
  readonly affinity: Affinity | undefined;
}

/** Walks embed -> retrieve -> decide -> live view. Only this and its search wait for anything or read a clock. */
export class Router {
  readonly #parts: RouterParts;
  readonly #questions = new OpenQuestions();
  readonly #search: CatalogueSearch;
  #liveRules:
    | { readonly rules: readonly Rule[]; readonly version: number; readonly live: LiveRules }
    | undefined;

  constructor(parts: RouterParts) {
    this.#parts = parts;
    this.#search = new CatalogueSearch(parts);
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
    const { clock, embedders } = this.#parts;
    const start = clock.monotonic();
    const weights = this.#parts.weights();
    const ask = readRequest(given, this.#questionOf(given.routeId));
    const { agentName } = ask.request;
    if (agentName !== undefined) agentIn(this.#parts.catalogue(), agentName);
    const watched = this.#parts.observers.some((observer) => observer.wantsExplained?.(ask.request));
    const walk = { start, weights, watched, end, affinity };
    const find = this.#find(ask, walk);
    const alone = this.#judge(ask, typeof find === 'function' ? find : await find, walk);
    const followUp = topic && followUpOf(ask, alone.verdict, topic);
    const together = followUp && this.#judge(followUp, await this.#find(followUp, walk), walk);
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

  #find(ask: Ask, { watched, weights, end }: Walk): (() => Found) | Promise<() => Found> {
    if (ask.kind !== 'find') return () => foundByName(ask, this.#parts);
    return this.#search.lookUp(ask, watched, weights, end);
  }

  /** Nothing waits here: the catalogue, the index and the live views are those of one moment. */
  #judge(ask: Ask, find: () => Found, { start, weights, affinity }: Walk): Judged {
    const { clock, index } = this.#parts;
    const embedded = clock.monotonic();
    const searched = find();
    const retrieved = clock.monotonic();
    const rules = this.#rules().of(ask);
    const found = ruledFirst(searched, rules);
    const input = this.#decideInput(ask.request, found, rules, weights, affinity);
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

  /** The rules in force, looked up in the catalogue of the moment. */
  #rules(): LiveRules {
    const { rules, catalogue, index } = this.#parts;
    const current = { rules: rules(), version: index.version };
    const known = this.#liveRules;
    if (known?.rules === current.rules && known.version === current.version) return known.live;
    const live = new LiveRules(current.rules, (name) => {
      const key = keyOfTarget(name, catalogue());
      return key === undefined ? undefined : index.capabilities.get(key);
    });
    this.#liveRules = { ...current, live };
    return live;
  }

  #decideInput(
    request: RouteRequest,
    { groups, filtered }: Found,
    rules: RuledRequest,
    weights: Weights,
    affinity: Affinity | undefined,
  ): DecideInput {
    const { instances, choice, threshold, fallbackAgent } = this.#parts;
    const { payload } = request;
    return {
      groups,
      filtered,
      payloadSent: payload !== undefined && payload !== null,
      missingOf: missingOf(payload),
      threshold: { request: request.threshold, global: threshold },
      rules,
      fallback: fallbackFor(request, fallbackAgent, this.#parts),
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
}
