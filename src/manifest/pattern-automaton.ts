import type { PatternNode } from './pattern-tree.js';
import { PatternTooComplex, type PatternWork } from './pattern-work.js';

/** In how many ways each place can be reached. */
export type Ways = ReadonlyMap<number, number>;

/** Where a pattern reads its characters, and in how many ways it gets from one place to the next without reading. */
export interface PatternAutomaton {
  /** What is read at each place; places count from 0 in the order of the pattern. */
  readonly sources: readonly string[];
  readonly first: Ways;
  readonly next: readonly Ways[];
  /** Places behind which the pattern may end. */
  readonly last: Ways;
  /** Ways through it that read nothing. */
  readonly empty: number;
}

type Fragment = Pick<PatternAutomaton, 'first' | 'last' | 'empty'>;

/** Repetitions up to so many times are written out; longer ones count as endless, which has no fewer paths. */
const WRITTEN_OUT = 16;
const MAX_PLACES = 1_000;

const NOTHING: Fragment = { first: new Map(), last: new Map(), empty: 1 };

/** Glushkov's construction, which counts ways. */
class Builder {
  readonly sources: string[] = [];
  readonly next: Map<number, number>[] = [];
  readonly #work: PatternWork;

  constructor(work: PatternWork) {
    this.#work = work;
  }

  fragmentOf(node: PatternNode): Fragment {
    switch (node.kind) {
      case 'character':
        return this.#character(node.source);
      case 'assertion':
        // Nothing is read behind the end of a text; the others do not lead anywhere that would not be tried without them.
        return node.source === '$' ? this.#character(node.source) : NOTHING;
      case 'lookaround':
        return NOTHING;
      case 'sequence':
        return node.items.reduce((before, item) => this.#join(before, this.fragmentOf(item)), NOTHING);
      case 'choice':
        return node.branches
          .map((branch) => this.fragmentOf(branch))
          .reduce((one, other) => this.#either(one, other));
      case 'repeat':
        return this.#repeat(node);
    }
  }

  #character(source: string): Fragment {
    const place = this.sources.push(source) - 1;
    if (place >= MAX_PLACES) throw new PatternTooComplex();
    this.next.push(new Map());
    return { first: new Map([[place, 1]]), last: new Map([[place, 1]]), empty: 0 };
  }

  #join(before: Fragment, after: Fragment): Fragment {
    this.#link(before.last, after.first);
    return {
      first: this.#sum(before.first, after.first, before.empty),
      last: this.#sum(after.last, before.last, after.empty),
      empty: before.empty * after.empty,
    };
  }

  #either(one: Fragment, other: Fragment): Fragment {
    return {
      first: this.#sum(one.first, other.first, 1),
      last: this.#sum(one.last, other.last, 1),
      empty: one.empty + other.empty,
    };
  }

  #repeat({ item, min, max }: Extract<PatternNode, { kind: 'repeat' }>): Fragment {
    const once = this.fragmentOf(item);
    if (max === 0) return NOTHING;
    if (max <= WRITTEN_OUT) return this.#writeOut(once, item, min, max);
    // Where an item may be empty, an endless repetition can have fewer paths than a counted one.
    if (once.empty > 0 && min + (Number.isFinite(max) ? max : 0) > 1) throw new PatternTooComplex();
    this.#link(once.last, once.first);
    return { ...once, empty: once.empty + (min === 0 ? 1 : 0) };
  }

  /** `min` times, and then once more, or not, up to `max` times. */
  #writeOut(once: Fragment, item: PatternNode, min: number, max: number): Fragment {
    const copies = [once, ...Array.from({ length: max - 1 }, () => this.fragmentOf(item))];
    return copies.reduceRight((rest, copy, index) => {
      const from = this.#join(copy, rest);
      return index < min ? from : { ...from, empty: from.empty + 1 };
    }, NOTHING);
  }

  #link(from: Ways, to: Ways): void {
    this.#work.spend(from.size * to.size);
    for (const [place, waysOut] of from) {
      const next = this.next[place];
      for (const [follower, waysIn] of to) {
        next?.set(follower, (next.get(follower) ?? 0) + waysOut * waysIn);
      }
    }
  }

  #sum(ways: Ways, more: Ways, times: number): Ways {
    if (times === 0) return ways;
    this.#work.spend(ways.size + more.size);
    const sum = new Map(ways);
    for (const [place, count] of more) sum.set(place, (sum.get(place) ?? 0) + times * count);
    return sum;
  }
}

/** @throws PatternTooComplex where it would have too many places, or ways between them. */
export function automatonOf(pattern: PatternNode, work: PatternWork): PatternAutomaton {
  const builder = new Builder(work);
  const fragment = builder.fragmentOf(pattern);
  return { ...fragment, sources: builder.sources, next: builder.next };
}
