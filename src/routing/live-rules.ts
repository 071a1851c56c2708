import { findsIn, foldedIntent } from '../manifest/intent-match.js';
import { foldFieldName } from '../retrieval/fold.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { Rule, RuleCondition } from '../rules/rule.js';
import type { RouteRequest } from '../wire/route.js';
import { filteredBy } from './filter.js';
import type { Ask } from './read-request.js';

/** A rule in the catalogue of the moment. */
export interface LiveRule {
  readonly rule: Rule;
  /** Who takes over; undefined where the rule names nobody, or nobody who is there. */
  readonly fallback: IndexedCapability | undefined;
  /** The payload fields of its condition in the form in which they are compared. */
  readonly fields: readonly string[];
}

/** A rule that sends intents to somebody who is there. */
export interface TargetRule extends LiveRule {
  readonly target: IndexedCapability;
}

/** A set of rules in one catalogue, worked out once for both: a rule whose target is not there costs no decision anything. */
export class LiveRules {
  readonly #targeting: Readonly<Record<Rule['kind'], readonly TargetRule[]>>;
  readonly #setting: readonly LiveRule[];

  /** `rules` in the order in which they are asked; `find` gives what the name of a target stands for. */
  constructor(rules: readonly Rule[], find: (name: string) => IndexedCapability | undefined) {
    const targeting: Record<Rule['kind'], TargetRule[]> = { before: [], fallback: [] };
    const setting: LiveRule[] = [];
    for (const rule of rules) {
      const live: LiveRule = {
        rule,
        fallback: rule.fallback === undefined ? undefined : find(rule.fallback),
        fields: rule.when.payloadFields.map(foldFieldName),
      };
      const target = rule.target === undefined ? undefined : find(rule.target);
      if (rule.target === undefined) setting.push(live);
      else if (target !== undefined) targeting[rule.kind].push({ ...live, target });
    }
    this.#targeting = targeting;
    this.#setting = setting;
  }

  of(ask: Ask): RuledRequest {
    return new RuledRequest(ask, this.#targeting, this.#setting);
  }
}

/** What the rules say of one request. */
export class RuledRequest {
  readonly #isSearch: boolean;
  readonly #request: RouteRequest;
  readonly #targeting: Readonly<Record<Rule['kind'], readonly TargetRule[]>>;
  readonly #setting: readonly LiveRule[];
  #intent: string | undefined;
  #fields: ReadonlySet<string> | undefined;
  /** Those of `#setting` that the request fits. */
  #fitting: readonly LiveRule[] | undefined;

  constructor(
    { kind, request }: Ask,
    targeting: Readonly<Record<Rule['kind'], readonly TargetRule[]>>,
    setting: readonly LiveRule[],
  ) {
    this.#isSearch = kind === 'find';
    this.#request = request;
    this.#targeting = targeting;
    this.#setting = setting;
  }

  /**
   * The rules that send this request to somebody whom it may be sent to, in their order; none for one that names a
   * capability, or an agent without an intent.
   */
  *sending(kind: Rule['kind']): Generator<TargetRule> {
    if (!this.#isSearch) return;
    for (const rule of this.#targeting[kind]) {
      if (this.#fits(rule) && isAskedFor(rule.rule.when, this.#request) && this.mayTake(rule.target))
        yield rule;
    }
  }

  /** The first rule without a target that speaks of a capability in this request. */
  settingFor(capability: IndexedCapability): LiveRule | undefined {
    this.#fitting ??= this.#setting.filter((rule) => this.#fits(rule));
    return this.#fitting.find(({ rule }) => isOf(rule.when, capability));
  }

  /** Whether the request's filter and its team let it go to a capability. */
  mayTake(capability: IndexedCapability): boolean {
    return filteredBy(capability, this.#request.filter ?? {}) === undefined;
  }

  /** What a condition says of every request alike: its intent, and the fields of its payload. */
  #fits({ rule: { when }, fields }: LiveRule): boolean {
    if (when.intent !== undefined && !this.#finds(when.intent)) return false;
    return fields.length === 0 || this.#hasFields(fields);
  }

  #finds(pattern: NonNullable<RuleCondition['intent']>): boolean {
    const { intent } = this.#request;
    if (intent === undefined) return false;
    this.#intent ??= foldedIntent(intent);
    return findsIn(pattern, this.#intent);
  }

  #hasFields(wanted: readonly string[]): boolean {
    this.#fields ??= new Set(Object.keys(this.#request.payload ?? {}).map(foldFieldName));
    const sent = this.#fields;
    return wanted.every((field) => sent.has(field));
  }
}

function hasAll(
  { tags, labels }: RuleCondition,
  has: { readonly tags: readonly string[]; readonly labels: Readonly<Record<string, string>> },
): boolean {
  return (
    tags.every((tag) => has.tags.includes(tag)) &&
    Object.entries(labels).every(([name, value]) => has.labels[name] === value)
  );
}

/** Whether the caller asks for whom the condition of a rule with a target names. */
function isAskedFor(when: RuleCondition, { agentName, filter = {} }: RouteRequest): boolean {
  if (when.agent !== undefined && when.agent !== agentName) return false;
  return hasAll(when, { tags: filter.tags ?? [], labels: filter.labels ?? {} });
}

/** Whether the condition of a rule without a target speaks of a capability. */
function isOf(when: RuleCondition, { key, agent, capability }: IndexedCapability): boolean {
  const { agentName, labels } = agent.manifest;
  if (when.capability !== undefined && when.capability !== key) return false;
  if (when.agent !== undefined && when.agent !== agentName) return false;
  return hasAll(when, { tags: capability.tags, labels });
}
