import { randomUUID } from 'node:crypto';
import { ReachError } from '../errors.js';
import type { InstanceViews } from '../health/instance-view.js';
import type { Degrade } from '../manifest/schema.js';
import { agentIn } from '../registry/catalogue-names.js';
import type { CallEnd } from '../running-calls.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import type { Affinity, Conversation } from './conversation.js';
import type { DecisionMade, DecisionObserver } from './decision-observer.js';
import { explained, explanationOf } from './explanation.js';
import { standInsOf } from './group-stand-ins.js';
import type { InstanceChoice } from './instance-choice.js';
import { type Circumstances, Judge, type Judged, type JudgeParts } from './judge.js';
import type { RuledRequest } from './live-rules.js';
import { OpenQuestions } from './open-questions.js';
import { type Ask, readRequest } from './read-request.js';
import type { Weights } from './weights.js';

export interface RouterParts extends JudgeParts {
  readonly instances: InstanceViews;
  readonly choice: InstanceChoice;
  /** Those in force; asked for once a decision. */
  readonly weights: () => Weights;
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

/**
 * Makes a decision of what its judge says, and has it count: who is told, which question is open, whose turn is next.
 * Only these two and the search wait for anything or read a clock.
 */
export class Router {
  readonly #parts: RouterParts;
  readonly #questions = new OpenQuestions();
  readonly #judge: Judge;

  constructor(parts: RouterParts) {
    this.#parts = parts;
    this.#judge = new Judge(parts);
  }

  /**
   * Decides on a request, at once where all that it takes is known; `conversation` is what is known of the one that it
   * belongs to.
   * @throws ReachError INVALID_REQUEST, AGENT_UNKNOWN, CAPABILITY_UNKNOWN, ROUTE_UNKNOWN, and those of Embedder.embed
   */
  route(
    given: RouteRequest,
    end: Partial<CallEnd> = {},
    conversation: Conversation = {},
  ): Routed | Promise<Routed> {
    const { clock, instances, observers, catalogue } = this.#parts;
    const start = clock.monotonic();
    const weights = this.#parts.weights();
    const ask = readRequest(given, this.#questionOf(given.routeId));
    const { request } = ask;
    if (request.agentName !== undefined) agentIn(catalogue(), request.agentName);
    const watched = observers.some((observer) => observer.wantsExplained?.(request));
    const circumstances = { start, weights, instances, conversation, watched, end };
    return this.#judge.judge(ask, circumstances, (judged) => this.#conclude(ask, circumstances, judged));
  }

  #conclude(ask: Ask, { start, weights, conversation, watched }: Circumstances, judged: Judged): Routed {
    const { clock, embedders } = this.#parts;
    const { request } = ask;
    const { input, found, verdict, timing, catalogueVersion, resumed } = judged;
    const decision: Decision = {
      routeId: `rt_${randomUUID()}`,
      timingMs: { total: clock.monotonic() - start, ...timing },
      catalogueVersion,
      weightsVersion: weights.version,
      model: embedders.main.model.name,
      ...verdict,
      ...(resumed && { resumed }),
      ...(request.explain && explanationOf(request, found, weights)),
    };
    this.#tell({
      atMs: clock.now(),
      request,
      decision,
      ...(watched && { explained: explained(decision, input, found, request) }),
      ...(ask.kind === 'find' && { searched: { ask, conversation } }),
      ...answeredBy(ask),
    });
    if (decision.outcome === 'clarify') this.#remember(decision, request);
    const { targetAgent, instanceId } = decision;
    if (targetAgent !== null && instanceId !== null) this.#parts.choice.takeTurn(targetAgent);
    return {
      decision,
      request,
      standIns: standInsOf(verdict, input),
      degrade: this.#degradeOf(decision, input.rules),
      affinity: conversation.affinity,
    };
  }

  #tell(made: DecisionMade): void {
    for (const observer of this.#parts.observers) observer.decided(made);
  }

  #questionOf(routeId: string | undefined) {
    if (routeId === undefined) return undefined;
    const question = this.#questions.find(routeId, this.#parts.clock.monotonic());
    if (question === undefined)
      throw new ReachError('ROUTE_UNKNOWN', `No open question has the route_id ${routeId}.`);
    return question;
  }

  #remember(decision: Decision, request: RouteRequest): void {
    const { routeId, targetAgent, capabilityId, choices = [], resumed = false } = decision;
    const named = targetAgent !== null && capabilityId !== null;
    const target = named ? { agentName: targetAgent, capabilityId } : undefined;
    const offered = named ? [{ agentName: targetAgent, capabilityId }] : choices;
    const keys = offered.map((choice) => capabilityKey(choice.agentName, choice.capabilityId));
    const question = { routeId, request, target, choices: keys, resumed };
    this.#questions.ask(question, this.#parts.clock.monotonic());
  }

  /** As with timeouts: what the rule that chose the target says, else the one that sets something for it. */
  #degradeOf({ ruleId, targetAgent, capabilityId }: Decision, rules: RuledRequest): Degrade | undefined {
    if (ruleId === undefined || targetAgent === null || capabilityId === null) return undefined;
    const chosen = this.#parts.rules().find(({ id }) => id === ruleId);
    const target = this.#parts.index.capabilities.get(capabilityKey(targetAgent, capabilityId));
    return chosen?.degrade ?? (target && rules.settingFor(target)?.rule.degrade);
  }
}

function answeredBy(ask: Ask): Pick<DecisionMade, 'answered'> {
  if (ask.kind !== 'capability' || ask.question === undefined) return {};
  return { answered: { question: ask.question, capability: capabilityKey(ask.agentName, ask.capabilityId) } };
}
