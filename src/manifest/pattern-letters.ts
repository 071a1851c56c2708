import type { PatternWork } from './pattern-work.js';

/** With which flags a pattern is tried: as JSON Schema wants it, or so that case does not count. */
export type PatternFlags = 'u' | 'iu';

const ASCII = Array.from({ length: 128 }, (_, code) => code);
/** First and last of the white space, and the line ends, that `\s` and `.` know beyond ASCII. */
const SPACES = [0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff];
/** What ASCII letters match beyond ASCII where case does not count: the long s and the sign of Kelvin. */
const ASCII_VARIANTS = [0x17f, 0x212a];
const NAMED_CODE =
  /\\u\{([0-9a-f]+)\}|\\u(d[89ab]..)\\u(d[c-f]..)|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|([^\0-\x7f])/giu;

/** The code points beyond ASCII at which what is in a class may begin or end. */
function codesIn(source: string): number[] {
  return [...source.matchAll(NAMED_CODE)].map(([, braced, high, low, four, two, itself]) => {
    if (high !== undefined && low !== undefined) {
      return String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0;
    }
    return itself?.codePointAt(0) ?? Number.parseInt(braced ?? four ?? two ?? '0', 16);
  });
}

/**
 * One character of every kind that the sources could tell apart: between two named ones all are alike. And the
 * empty text, which stands for the end.
 */
function samplesOf(sources: readonly string[]): readonly string[] {
  const named = [...SPACES, ...ASCII_VARIANTS, ...sources.flatMap(codesIn)].flatMap((code) => [
    code,
    code + 1,
  ]);
  const codes = new Set([...ASCII, 0x80, ...named].filter((code) => code <= 0x10ffff));
  return ['', ...[...codes].map((code) => String.fromCodePoint(code))];
}

function isItself(source: string): boolean {
  return [...source].length === 1 && source !== '.' && source !== '$';
}

function matcherOf(source: string, flags: PatternFlags): (char: string) => boolean {
  if (isItself(source) && (flags === 'u' || source.toLowerCase() === source.toUpperCase())) {
    return (char) => char === source;
  }
  const whole = new RegExp(`^${source}$`, flags);
  // What a property holds beyond ASCII is not looked up, nor what a class there holds in the other case: all of it,
  // to be on the safe side.
  const isUnknown =
    /\\p/i.test(source) || (flags === 'iu' && !isItself(source) && codesIn(source).length > 0);
  if (isUnknown) return (char) => char > '\x7f' || whole.test(char);
  return (char) => whole.test(char);
}

/**
 * The letters that each source (a character, an escape, a class, or `$`) stands for. A letter is a set of characters that
 * no source tells apart, by number.
 * @throws PatternTooComplex where there are too many to tell apart
 */
export function lettersOf(
  sources: readonly string[],
  flags: PatternFlags,
  work: PatternWork,
): ReadonlyMap<string, ReadonlySet<number>> {
  const samples = samplesOf(sources);
  work.spend(samples.length * sources.filter((source) => !isItself(source)).length);
  const matchers = sources.map((source) => matcherOf(source, flags));
  const letters = new Map<string, number>();
  const lettersBySource = new Map(sources.map((source) => [source, new Set<number>()]));
  for (const sample of samples) {
    const matching = sources.filter((_, index) => matchers[index]?.(sample));
    const signature = matching.join('\n');
    const letter = letters.get(signature) ?? letters.size;
    letters.set(signature, letter);
    for (const source of matching) lettersBySource.get(source)?.add(letter);
  }
  return lettersBySource;
}
