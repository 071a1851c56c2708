import type { InstanceViews } from '../health/instance-view.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import type { Rule } from '../rules/rule.js';
import { keyOfTarget } from '../rules/rule-names.js';
import type { CallEnd } from '../running-calls.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import type { Found } from './candidate-set.js';
import { CatalogueSearch, type CatalogueSearchParts } from './catalogue-search.js';
import type { Conversation, Topic } from './conversation.js';
import { decide } from './decide.js';
import { followUpOf, isResumed } from './follow-up.js';
import type { InstanceChoice } from './instance-choice.js';
import { LiveRules, type RuledRequest } from './live-rules.js';
import { missingOf } from './missing-fields.js';
import { fallbackFor, foundByName } from './named-capability.js';
import type { Ask } from './read-request.js';
import { ruledFirst } from './ruled-first.js';
import type { DecidedRoute, DecideInput } from './verdict.js';
import type { Weights } from './weights.js';

/**
 * Any instance that can take work, for verdicts that nobody acts on: strategies may count their calls, and instances are
 * not what weights and manifests decide on.
 */
export const FIRST_INSTANCE: JudgeParts['choice'] = { choose: ([first]) => first, turnOf: () => 0 };

export interface JudgeParts extends CatalogueSearchParts {
  readonly catalogue: () => CatalogueSnapshot;
  readonly choice: Pick<InstanceChoice, 'choose' | 'turnOf'>;
  /** The configuration's global threshold; null: that of the weights. */
  readonly threshold: number | null;
  readonly fallbackAgent: string | null;
  /** The rules in force, in the order in which they are asked; another array where they have changed. */
  readonly rules: () => readonly Rule[];
}

/** Under what one request is judged. */
export interface Circumstances {
  /** When its route began: monotonic. */
  readonly start: number;
  readonly weights: Weights;
  readonly instances: InstanceViews;
  readonly conversation: Conversation;
  /** Somebody who follows decisions wants this one explained. */
  readonly watched: boolean;
  readonly end: Partial<CallEnd>;
}

/** What came of a look at the catalogue. Times in ms; `embed` counts from the start of the route. */
export interface Judged {
  readonly found: Found;
  readonly input: DecideInput;
  readonly verdict: DecidedRoute;
  readonly timing: Omit<Decision['timingMs'], 'total'>;
  readonly catalogueVersion: number;
  /** The intent was understood by what its conversation was about before. */
  readonly resumed: boolean;
}

/** Walks embed -> retrieve -> decide, and changes nothing: whoever asks makes of it what is to come of it. */
export class Judge {
  readonly #parts: JudgeParts;
  readonly #search: CatalogueSearch;
  #liveRules:
    | { readonly rules: readonly Rule[]; readonly version: number; readonly live: LiveRules }
    | undefined;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    this.#search = new CatalogueSearch(parts);
  }

  /**
   * Judges a request in the catalogue and the live views of one moment, at once where nothing has to be waited for.
   * `conclude` is called within that moment, so that what it makes of the verdict counts for whoever is judged next.
   * @throws ReachError INVALID_REQUEST, AGENT_UNKNOWN, CAPABILITY_UNKNOWN, and those of Embedder.embed
   */
  judge<Conclusion>(
    ask: Ask,
    circumstances: Circumstances,
    conclude: (judged: Judged) => Conclusion,
  ): Conclusion | Promise<Conclusion> {
    const { topic } = circumstances.conversation;
    const find = this.#find(ask, circumstances);
    if (topic !== undefined) return this.#judgeInTopic(ask, find, topic, circumstances, conclude);
    if (typeof find === 'function') return conclude(this.#look(ask, find, circumstances));
    return find.then((found) => conclude(this.#look(ask, found, circumstances)));
  }

  async #judgeInTopic<Conclusion>(
    ask: Ask,
    find: (() => Found) | Promise<() => Found>,
    topic: Topic,
    circumstances: Circumstances,
    conclude: (judged: Judged) => Conclusion,
  ): Promise<Conclusion> {
    const alone = this.#look(ask, await find, circumstances);
    const followUp = followUpOf(ask, alone.verdict, topic);
    if (followUp === undefined) return conclude(alone);
    const together = this.#look(followUp, await this.#find(followUp, circumstances), circumstances);
    return conclude(isResumed(together, alone, topic) ? { ...together, resumed: true } : alone);
  }

  #find(ask: Ask, { watched, weights, end }: Circumstances): (() => Found) | Promise<() => Found> {
    if (ask.kind !== 'find') return () => foundByName(ask, this.#parts);
    return this.#search.lookUp(ask, watched, weights, end);
  }

  /** Nothing waits here: the catalogue, the index and the live views are those of one moment. */
  #look(ask: Ask, find: () => Found, circumstances: Circumstances): Judged {
    const { clock, index } = this.#parts;
    const embedded = clock.monotonic();
    const searched = find();
    const retrieved = clock.monotonic();
    const rules = this.#rules().of(ask);
    const found = ruledFirst(searched, rules);
    const input = this.#decideInput(ask.request, found, rules, circumstances);
    const verdict = decide(input);
    const timing = {
      embed: embedded - circumstances.start,
      retrieve: retrieved - embedded,
      decide: clock.monotonic() - retrieved,
    };
    return { found, input, verdict, timing, catalogueVersion: index.version, resumed: false };
  }

  /** The rules in force, looked up in the catalogue of the moment. */
  #rules(): LiveRules {
    const { catalogue, index } = this.#parts;
    const { version } = index;
    const rules = this.#parts.rules();
    const known = this.#liveRules;
    if (known?.rules === rules && known.version === version) return known.live;
    const live = new LiveRules(rules, (name) => {
      const key = keyOfTarget(name, catalogue());
      return key === undefined ? undefined : index.capabilities.get(key);
    });
    this.#liveRules = { rules, version, live };
    return live;
  }

  #decideInput(
    request: RouteRequest,
    { groups, filtered }: Found,
    rules: RuledRequest,
    { weights, instances, conversation }: Circumstances,
  ): DecideInput {
    const { choice, threshold, fallbackAgent } = this.#parts;
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
        affinity: conversation.affinity,
        choice,
        turnOf: (agentName) => choice.turnOf(agentName),
      },
      weights,
    };
  }
}
