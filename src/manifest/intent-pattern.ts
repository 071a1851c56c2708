import { describe, ReachError, sentenceOf } from '../errors.js';
import { LIMITS } from '../wire/limits.js';
import { findsIn, foldedIntent, type IntentPattern } from './intent-match.js';
import { EXPECTED_PATTERN, type PatternVerdict, patternVerdict, STEPS_A_PATTERN } from './pattern-verdict.js';
import { PatternWork } from './pattern-work.js';

const EXPRESSION = /^\/(.+)\/$/su;

const ADVICE: Readonly<Record<Exclude<PatternVerdict, 'linear'>, string>> = {
  ...EXPECTED_PATTERN,
  slow: `${EXPECTED_PATTERN.slow}, such as .{0,16} in place of .*`,
};

function refuse(text: string, pointer: string, expected: string): never {
  const errors = [{ pointer, expected, received: describe(text) }];
  throw new ReachError('INVALID_REQUEST', sentenceOf(errors), { errors });
}

/**
 * Which intents a person means: those that hold `text`, or, where it is written as `/regex/`, those that the
 * regular expression finds something in. Neither width nor case counts; an expression is taken as it is written, since
 * folding could make syntax of its letters. `pointer` is the place of the text in the request.
 * @throws ReachError INVALID_REQUEST where it is empty or too long, or an expression that is not shown to be fast
 */
export function readIntentPattern(text: string, pointer: string): IntentPattern {
  const { idChars } = LIMITS;
  if (text === '' || text.length > idChars) {
    refuse(text, pointer, `a text or /regular expression/ of 1 to ${idChars} characters`);
  }
  const source = EXPRESSION.exec(text)?.[1];
  if (source === undefined) return { kind: 'text', text: foldedIntent(text) };
  const verdict = patternVerdict(source, new PatternWork(STEPS_A_PATTERN), 'iu');
  if (verdict !== 'linear') refuse(text, pointer, ADVICE[verdict]);
  return { kind: 'expression', expression: new RegExp(source, 'iu') };
}

/** `readIntentPattern` for whoever has a single pattern. @throws ReachError as that */
export function intentPatternOf(text: string, pointer: string): (intent: string) => boolean {
  const pattern = readIntentPattern(text, pointer);
  return (intent) => findsIn(pattern, foldedIntent(intent));
}
