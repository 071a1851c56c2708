import type { CapabilityIndex } from '../retrieval/capability-index.js';
import { textsOf } from '../retrieval/capability-texts.js';
import { foldText } from '../retrieval/fold.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';

/** Of each capability so many are named. */
const MOST_WORDS = 5;
/** A longer form of a word of so many letters is no other word. */
const STEM_LETTERS = 4;

/** Words that hold sentences together: in a small catalogue they are as rare as any. */
const FUNCTION_WORDS = new Set(
  [
    'a about all an and any are as at be been but by can could do does for from give get had has have how i if in into is it',
    'its me my need no not of on one or our out please she should so some that the their them then there these they this',
    'those to up us want was we were what when where which who whose why will with would you your',
    '一下 一个 一份 一张 我 我们 你 你们 他 她 它 的 地 得 了 着 过 吗 呢 吧 啊 在 是 有 和 与 及 或 把 被 给 对 从 到 向 为 以 于',
    '这 那 这个 那个 这些 那些 哪 哪个 哪些 什么 怎么 多少 几 谁 请 帮 帮我 想 要 需要 能 可以 会 就 都 也 还 很 让 用 不 没 没有',
  ].flatMap((line) => line.split(' ')),
);

// Chinese has no spaces between words: this one finds them by a dictionary, and English words too.
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** The words of a text, each with how often it occurs. Numbers are none. */
function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (!isWordLike || /^[\p{N}_.,]+$|^[a-z]$/u.test(segment) || FUNCTION_WORDS.has(segment)) continue;
    words.set(segment, (words.get(segment) ?? 0) + 1);
  }
  return words;
}

/** So much of its texts tells what a capability is about; of a longer one the rest is not looked at. */
const MOST_CHARACTERS = 20_000;

/** The texts of a capability in folded form, and their words. */
interface Wording {
  readonly text: string;
  readonly words: ReadonlyMap<string, number>;
}

function wordingOf({ capability }: IndexedCapability): Wording {
  const text = foldText(textsOf(capability).words.slice(0, MOST_CHARACTERS));
  return { text, words: wordsOf(text) };
}

function isForeignTo(word: string, { text, words }: Wording): boolean {
  for (let length = STEM_LETTERS; length <= word.length; length += 1) {
    if (words.has(word.slice(0, length))) return false;
  }
  return !text.includes(word);
}

function wordsWithout(own: Wording, other: Wording, index: CapabilityIndex): string[] {
  return [...own.words]
    .filter(([word]) => isForeignTo(word, other))
    .map(([word, count]) => ({ word, weight: count * index.rarityOf(word) }))
    .sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, MOST_WORDS)
    .map(({ word }) => word);
}

/**
 * The words of each of two capabilities that the other's texts do not have, in the folded form: first those that it
 * uses often and few others use at all (tf-idf).
 */
export function tellingWords(
  own: IndexedCapability,
  other: IndexedCapability,
  index: CapabilityIndex,
): { readonly own: string[]; readonly other: string[] } {
  const [mine, theirs] = [wordingOf(own), wordingOf(other)];
  return { own: wordsWithout(mine, theirs, index), other: wordsWithout(theirs, mine, index) };
}
