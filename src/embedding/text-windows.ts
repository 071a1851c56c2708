/** What stands around the tokens of a text in every window: special tokens, and the prefix's tokens. */
export interface WindowFrame {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** One input of the model. `weight` is the number of the text's tokens that it carries. */
export interface TextWindow {
  readonly ids: readonly number[];
  readonly weight: number;
}

function startsAt(whole: readonly number[], part: readonly number[], index: number): boolean {
  return part.every((id, offset) => whole[index + offset] === id);
}

/**
 * The special tokens that a tokenizer puts around a text, seen from one text encoded with (`marked`) and
 * without (`bare`) them.
 */
export function specialTokens(marked: readonly number[], bare: readonly number[]): WindowFrame {
  const last = marked.length - bare.length;
  for (let index = 0; index <= last; index += 1) {
    if (startsAt(marked, bare, index)) {
      return { before: marked.slice(0, index), after: marked.slice(index + bare.length) };
    }
  }
  throw new RangeError('the tokenizer gives a text other tokens beside its special tokens');
}

/**
 * Cuts a text's tokens into as few windows as hold them, of equal length give or take one: a short last
 * window would be a poor vector, and attention costs the square of the length.
 */
export function cutIntoWindows(
  body: readonly number[],
  frame: WindowFrame,
  maxTokens: number,
): [TextWindow, ...TextWindow[]] {
  const room = maxTokens - frame.before.length - frame.after.length;
  const count = Math.max(1, Math.ceil(body.length / room));
  const cut = (index: number): TextWindow => {
    const from = Math.floor((index * body.length) / count);
    const to = Math.floor(((index + 1) * body.length) / count);
    return { ids: [...frame.before, ...body.slice(from, to), ...frame.after], weight: to - from };
  };
  return [cut(0), ...Array.from({ length: count - 1 }, (_, index) => cut(index + 1))];
}
