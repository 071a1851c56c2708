import type { ChangeName } from '../judging/tune-report.js';

/** A figure in words for whoever meets it for the first time. */
export interface FigureWords {
  readonly title: string;
  readonly meaning: string;
  /** Whether less of it is better. */
  readonly lessIsBetter?: true;
}

export const FIGURE_WORDS: Readonly<Record<ChangeName, FigureWords>> = {
  top1: {
    title: 'Right one first',
    meaning:
      'Of the intents that something fits, how many have the right capability in the first place, however sure it is.',
  },
  precision: {
    title: 'Right when it acts',
    meaning: 'Of the answers that are sure enough to act on, how many are right.',
  },
  coverage: {
    title: 'Acts by itself',
    meaning: 'Of all intents, how many are sure enough to act on; the others get a question or a person.',
  },
  oos_rejected: {
    title: 'Leaves alone what nothing fits',
    meaning: 'Of the intents that nothing fits, how many are not acted on.',
  },
  ece: {
    title: 'Confidence is off by',
    meaning: 'How far the confidence lies from how often it is right, on the average. Less is better.',
    lessIsBetter: true,
  },
};
