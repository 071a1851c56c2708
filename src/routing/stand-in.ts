import type { LiveRule } from './live-rules.js';
import { unsearched } from './scored-candidate.js';
import { type RankedMember, rankMember } from './utility.js';
import type { DecideInput } from './verdict.js';

/** Whoever takes work that was meant for nobody, or for somebody who cannot take it now. */
export interface StandIn {
  readonly member: RankedMember;
  /** The rule that says so; undefined for the configured fallback agent. */
  readonly rule: LiveRule | undefined;
}

/** The fallback of a rule, where it can take work now. */
export function standInOf(rule: LiveRule | undefined, { rules, utility }: DecideInput): StandIn | undefined {
  if (rule?.fallback === undefined || !rules.mayTake(rule.fallback)) return undefined;
  const member = rankMember(unsearched(rule.fallback), utility);
  return member.instance === undefined ? undefined : { member, rule };
}

/**
 * Who takes an intent that nothing fits well enough: the first who can of the targets of rules of kind `fallback`,
 * each with its own fallback behind it, and of the configured fallback agent.
 */
export function standInForNobody(input: DecideInput): StandIn | undefined {
  for (const rule of input.rules.sending('fallback')) {
    const member = rankMember(unsearched(rule.target), input.utility);
    if (member.instance !== undefined) return { member, rule };
    const standIn = standInOf(rule, input);
    if (standIn !== undefined) return standIn;
  }
  const member = input.fallback && rankMember(input.fallback, input.utility);
  return member?.instance === undefined ? undefined : { member, rule: undefined };
}
