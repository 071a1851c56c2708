import { readDocumentText } from '../../src/manifest/read-document.js';
import type { IndexedCapability } from '../../src/retrieval/indexed-capability.js';
import { LiveRules, type RuledRequest } from '../../src/routing/live-rules.js';
import type { Ask } from '../../src/routing/read-request.js';
import { readRules } from '../../src/rules/read-rules.js';
import { RULE_LIMITS, type Rule, type RulesDocument } from '../../src/rules/rule.js';
import type { RouteRequest } from '../../src/wire/route.js';

type RuleInput = RulesDocument['rules'][number];

/** What the text of a file of rules is read as. */
export function readText(text: string, name = 'routes.yaml') {
  return readRules(name, readDocumentText(name, new TextEncoder().encode(text), RULE_LIMITS.bytes));
}

/** Rules as a file holds them. */
export function rulesOf(...given: readonly RuleInput[]): readonly Rule[] {
  const { rules, faults } = readText(JSON.stringify({ rules: given }), 'routes.json');
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return rules;
}

/** A request for an intent. */
export function search(request: RouteRequest = {}): Ask {
  const intent = request.intent ?? 'whatever';
  return { kind: 'find', intent, request: { ...request, intent } };
}

/** What rules say of a request in a catalogue of these capabilities. */
export function ruled(
  given: readonly RuleInput[],
  catalogue: readonly IndexedCapability[] = [],
  ask: Ask = search(),
): RuledRequest {
  return new LiveRules(rulesOf(...given), (name) => catalogue.find(({ key }) => key === name)).of(ask);
}
