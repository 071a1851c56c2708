import type { Found } from './candidate-set.js';
import type { RuledRequest } from './live-rules.js';
import { unsearched } from './scored-candidate.js';

/**
 * What was found, after the first rule of kind `before` that sends the request somewhere: its target comes first and
 * is sure. An example that only one group declares goes before all rules.
 */
export function ruledFirst(found: Found, rules: RuledRequest): Found {
  const [best] = found.groups;
  if (best?.declared) return found;
  const [rule] = rules.sending('before');
  if (rule === undefined) return found;
  const { target } = rule;
  const members = found.groups.flatMap((group) => group.members);
  const candidate = members.find(({ indexed }) => indexed.key === target.key) ?? unsearched(target);
  const others = found.groups.flatMap((group) => {
    const rest = group.members.filter((member) => member !== candidate);
    return rest.length === 0 ? [] : [{ ...group, members: rest, confidence: 0 }];
  });
  const first = {
    members: [candidate],
    relevance: candidate.relevance,
    confidence: 1,
    declared: false,
    rule,
  };
  return { ...found, groups: [first, ...others], inputs: undefined };
}
