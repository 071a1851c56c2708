import type { Manifest } from '../manifest/schema.js';
import { capabilityKey, splitCapabilityKey } from '../wire/capability-key.js';
import type { Rule } from './rule.js';

/** What exists; a catalogue snapshot is one. */
export interface NamedAgents {
  readonly agents: ReadonlyMap<string, { readonly manifest: Pick<Manifest, 'capabilities'> }>;
}

/** A name in a rule that stands for nothing in the catalogue. */
export interface MissingName {
  readonly ruleId: string;
  readonly field: 'target' | 'fallback' | 'when.agent' | 'when.capability';
  readonly name: string;
  /** For a person: what is missing, and what becomes of the rule. */
  readonly sentence: string;
}

/** The capability that a target stands for, by its identity, which may be gone; undefined for an agent that has not exactly one. */
export function keyOfTarget(target: string, { agents }: NamedAgents): string | undefined {
  if (splitCapabilityKey(target) !== undefined) return target;
  const [only, second] = agents.get(target)?.manifest.capabilities ?? [];
  return only !== undefined && second === undefined ? capabilityKey(target, only.id) : undefined;
}

const WITHOUT: Readonly<Record<MissingName['field'], string>> = {
  target: 'The rule is passed over.',
  fallback: 'The rule has no fallback.',
  'when.agent': 'The rule never counts.',
  'when.capability': 'The rule never counts.',
};

/** Every name in the rules that the catalogue does not have, in the order of the rules. Agents come and go: no fault. */
export function missingNames(rules: readonly Rule[], catalogue: NamedAgents): readonly MissingName[] {
  const keys = new Map<string, ReadonlySet<string>>();
  const keysOf = (agentName: string): ReadonlySet<string> => {
    const capabilities = catalogue.agents.get(agentName)?.manifest.capabilities ?? [];
    const known = keys.get(agentName) ?? new Set(capabilities.map(({ id }) => capabilityKey(agentName, id)));
    keys.set(agentName, known);
    return known;
  };
  const isThere = (key: string) => keysOf(splitCapabilityKey(key)?.agentName ?? '').has(key);
  const faultOf = (field: MissingName['field'], name: string): string | undefined => {
    if (field === 'when.agent' || !name.includes('/')) {
      const agent = catalogue.agents.get(name);
      if (agent === undefined) return 'is not in the catalogue';
      const count = agent.manifest.capabilities.length;
      return field === 'when.agent' || count === 1 ? undefined : `has ${count} capabilities, not one`;
    }
    return isThere(name) ? undefined : 'is not in the catalogue';
  };
  return rules.flatMap(({ id, target, fallback, when }) => {
    const named = { target, fallback, 'when.agent': when.agent, 'when.capability': when.capability };
    return (Object.keys(named) as (keyof typeof named)[]).flatMap((field): MissingName[] => {
      const name = named[field];
      const fault = name === undefined ? undefined : faultOf(field, name);
      if (name === undefined || fault === undefined) return [];
      const sentence = `Rule ${id}: ${field} ${name} ${fault}. ${WITHOUT[field]}`;
      return [{ ruleId: id, field, name, sentence }];
    });
  });
}
