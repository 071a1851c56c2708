import { describe, type FieldError, ReachError } from '../errors.js';
import { type FileFault, fileFaultsOf } from '../manifest/check-manifests.js';
import { duplicateFaults } from '../manifest/document-faults.js';
import type { IntentPattern } from '../manifest/intent-match.js';
import { readIntentPattern } from '../manifest/intent-pattern.js';
import { NotPlain, plainCopy } from '../manifest/plain-json.js';
import type { DocumentText } from '../manifest/read-document.js';
import { checkOf } from '../wire/check.js';
import { MAX_FIELD_ERRORS } from '../wire/field-errors.js';
import { valuesIn } from '../wire/value-count.js';
import { RULE_LIMITS, type Rule, type RulesDocument, RulesSchema, rulesCodec } from './rule.js';

/** What came of reading a file: its rules in the order in which they are asked, or, where there are any, its faults. */
export interface ReadRules {
  readonly rules: readonly Rule[];
  readonly faults: readonly FileFault[];
}

type GivenRule = RulesDocument['rules'][number];

const checkForm = checkOf(RulesSchema);

/** The document as plain JSON that nobody else has. @throws NotPlain */
function plainOf(document: unknown): unknown {
  const { values } = RULE_LIMITS;
  if (valuesIn(document, values) >= values) throw new NotPlain('', `fewer than ${values} values`, 'more');
  return plainCopy(document, '', 1, { bytes: 0 });
}

/** What cannot have the effect that its writer meant. Pointers are relative to the rule. */
function senselessParts({ kind, when = {}, target, ...rest }: GivenRule): FieldError[] {
  const { timeout_ms, threshold, degrade, fallback } = rest;
  if (target === undefined) {
    if (kind === 'fallback')
      return [{ pointer: '/target', expected: 'a target, since the kind is fallback', received: 'nothing' }];
    if ([timeout_ms, threshold, degrade, fallback].some((setting) => setting !== undefined)) return [];
    const expected = 'a target, or a timeout_ms, threshold, degrade or fallback to set';
    return [{ pointer: '', expected, received: 'none of them' }];
  }
  const faults: FieldError[] = [];
  const refuse = (pointer: string, expected: string, received: unknown) =>
    faults.push({ pointer, expected, received: describe(received) });
  if (threshold !== undefined)
    refuse('/threshold', 'no threshold beside a target, which is taken whatever the confidence', threshold);
  if (when.capability !== undefined)
    refuse(
      '/when/capability',
      'no capability beside a target: who names one is sent nowhere else',
      when.capability,
    );
  if (when.agent !== undefined && when.agent !== target.split('/', 1)[0])
    refuse('/when/agent', "the target's agent: who names an agent is sent to no other", when.agent);
  return faults;
}

/** Reads the patterns of all rules, by place; adds to `faults` what is wrong with them. */
function patternsOf(rules: readonly GivenRule[], faults: FieldError[]): (IntentPattern | undefined)[] {
  let expressions = 0;
  return rules.map(({ when }, place) => {
    if (when?.intent === undefined || faults.length >= MAX_FIELD_ERRORS) return undefined;
    const pointer = `/rules/${place}/when/intent`;
    try {
      const pattern = readIntentPattern(when.intent, pointer);
      expressions += pattern.kind === 'expression' ? 1 : 0;
      if (expressions <= RULE_LIMITS.expressions) return pattern;
      const expected = `at most ${RULE_LIMITS.expressions} regular expressions in all rules`;
      faults.push({ pointer, expected, received: 'one more' });
    } catch (thrown) {
      if (!(thrown instanceof ReachError)) throw thrown;
      faults.push(...thrown.errors);
    }
    return undefined;
  });
}

function rulesFrom(document: RulesDocument, patterns: readonly (IntentPattern | undefined)[]): Rule[] {
  const given = rulesCodec.decode(document).rules.map((rule, place) => ({ rule, intent: patterns[place] }));
  return given
    .sort((a, b) => (a.rule.order ?? 0) - (b.rule.order ?? 0))
    .map(({ rule: { id, kind = 'before', when = {}, ...rest }, intent }) => ({
      id,
      kind,
      when: {
        capability: when.capability,
        agent: when.agent,
        intent,
        tags: when.tags ?? [],
        labels: when.labels ?? {},
        payloadFields: when.payloadFields ?? [],
      },
      target: rest.target,
      fallback: rest.fallback,
      timeoutMs: rest.timeoutMs,
      threshold: rest.threshold,
      degrade: rest.degrade,
    }));
}

function checkRules(given: unknown): {
  readonly rules: readonly Rule[];
  readonly errors: readonly FieldError[];
} {
  let plain: unknown;
  try {
    plain = plainOf(given);
  } catch (thrown) {
    if (!(thrown instanceof NotPlain)) throw thrown;
    return { rules: [], errors: [thrown.fault] };
  }
  const misfits = checkForm(plain);
  if (misfits.length > 0) return { rules: [], errors: misfits };
  const document = plain as RulesDocument;
  const errors = [
    ...duplicateFaults(
      document.rules.map(({ id }) => id),
      (place) => `/rules/${place}/id`,
    ),
    ...document.rules.flatMap((rule, place) =>
      senselessParts(rule).map((fault) => ({ ...fault, pointer: `/rules/${place}${fault.pointer}` })),
    ),
  ].slice(0, MAX_FIELD_ERRORS);
  const patterns = patternsOf(document.rules, errors);
  return { rules: errors.length > 0 ? [] : rulesFrom(document, patterns), errors };
}

/** The rules in the text of a file. `file` is how its faults call it. */
export function readRules(file: string, text: DocumentText): ReadRules {
  if (text.kind === 'unreadable')
    return { rules: [], faults: [{ file, line: text.line, pointer: '', message: text.message }] };
  const { rules, errors } = checkRules(text.document);
  return { rules, faults: fileFaultsOf({ errors }, { file, lineOf: text.lineOf }) };
}
