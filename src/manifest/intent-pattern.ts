import { describe, ReachError, sentenceOf } from '../errors.js';
import { LIMITS } from '../wire/limits.js';
import { EXPECTED_PATTERN, type PatternVerdict, patternVerdict } from './pattern-verdict.js';
import { PatternWork } from './pattern-work.js';

/** What one pattern may cost to check: some milliseconds. */
const PATTERN_STEPS = 100_000;
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
 * regular expression finds something in. Case does not count. `pointer` is the place of the text in the request.
 * @throws ReachError INVALID_REQUEST where it is empty or too long, or an expression that is not shown to be fast
 */
export function intentPatternOf(text: string, pointer: string): (intent: string) => boolean {
  const { idChars } = LIMITS;
  if (text === '' || text.length > idChars) {
    refuse(text, pointer, `a text or /regular expression/ of 1 to ${idChars} characters`);
  }
  const source = EXPRESSION.exec(text)?.[1];
  if (source === undefined) {
    const wanted = text.toLowerCase();
    return (intent) => intent.toLowerCase().includes(wanted);
  }
  const verdict = patternVerdict(source, new PatternWork(PATTERN_STEPS), 'iu');
  if (verdict !== 'linear') refuse(text, pointer, ADVICE[verdict]);
  const expression = new RegExp(source, 'iu');
  return (intent) => expression.test(intent);
}
