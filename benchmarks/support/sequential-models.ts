import type { SequentialModel } from './linearizable.js';

/** A value that is replaced only by who names the revision that it has; 0: there is none yet. */
export type RevisionAsked =
  | { readonly kind: 'read' }
  | { readonly kind: 'write'; readonly expected: number; readonly value: string };
export type RevisionAnswered =
  /** What it is now, or after the write. */
  | { readonly kind: 'is'; readonly revision: number; readonly value: string | null }
  | { readonly kind: 'stale' };

interface Revised {
  readonly revision: number;
  readonly value: string | null;
}

export const COMPARE_AND_SET: SequentialModel<Revised, RevisionAsked, RevisionAnswered> = {
  start: { revision: 0, value: null },
  step(state, asked, answered) {
    if (asked.kind === 'read') {
      return answered === undefined || (answered.kind === 'is' && isSame(state, answered))
        ? state
        : undefined;
    }
    const fits = asked.expected === state.revision;
    if (answered?.kind === 'stale') return fits ? undefined : state;
    if (!fits) return answered === undefined ? state : undefined;
    const next = { revision: state.revision + 1, value: asked.value };
    return answered === undefined || isSame(next, answered) ? next : undefined;
  },
};

function isSame(state: Revised, answered: Revised): boolean {
  return state.revision === answered.revision && state.value === answered.value;
}

/** A request under a key: the first body counts, and all who come with it get the one answer. */
export interface KeyedAsked {
  readonly body: string;
}
export type KeyedAnswered =
  | { readonly kind: 'answer'; readonly answer: string }
  | { readonly kind: 'conflict' };

interface Keyed {
  readonly body: string | null;
  /** Null while nobody has seen it. */
  readonly answer: string | null;
}

export const IDEMPOTENCY: SequentialModel<Keyed, KeyedAsked, KeyedAnswered> = {
  start: { body: null, answer: null },
  step(state, { body }, answered) {
    if (state.body !== null && state.body !== body) {
      return answered?.kind === 'answer' ? undefined : state;
    }
    if (answered?.kind === 'conflict') return undefined;
    if (answered === undefined) return { ...state, body };
    if (state.answer !== null && state.answer !== answered.answer) return undefined;
    return { body, answer: answered.answer };
  },
};
