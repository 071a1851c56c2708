import { createReach } from '../src/app.js';
import { withCatalogue } from './support/collect-samples.js';
import type { Bench, Figure } from './support/figure.js';
import { LABELLED_SETS } from './support/labelled-sets.js';
import { LEARNING_DATA } from './support/learning-run.js';
import {
  type ChoicesFound,
  type MissingFieldsFound,
  measureChoices,
  measureMissingFields,
} from './support/missing-fields-run.js';

/** Sets whose capabilities require something; queries of each. */
const SETS = LABELLED_SETS.filter(({ name }) => /^(acebench|bfcl|homeassistant)/.test(name));
const QUERIES = 150;

const share = { unit: '', better: 'higher', goal: null } as const;

function missingFigures(set: string, found: MissingFieldsFound): Figure[] {
  const { queries, nested, rightWhole, rightBroken, exact, askedBack, outcomes } = found;
  const name = (what: string) => `${set}: ${what}`;
  return [
    { ...share, name: name('queries with fields taken out'), value: queries },
    { ...share, name: name('of them nested fields'), value: nested },
    { ...share, name: name('right capability'), value: rightBroken, ceiling: rightWhole },
    { ...share, name: name('exactly what is missing, where it is right'), value: exact, goal: 1 },
    { ...share, name: name('asked back for exactly that'), value: askedBack, ceiling: rightBroken },
    ...Object.entries(outcomes)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([outcome, value]): Figure => ({ ...share, name: name(`outcome ${outcome}`), value })),
  ];
}

function choiceFigures(set: string, { queries, offered, holdRight }: ChoicesFound): Figure[] {
  return [
    { ...share, name: `${set}, without payload: answered by choices`, value: offered / queries },
    { ...share, name: `${set}, without payload: choices hold the right one`, value: holdRight },
  ];
}

export const bench: Bench = {
  name: 'missing-fields',
  title: `What is asked back: labelled queries whose payloads lack one to three required fields, drawn at random, up to ${QUERIES} a set, under the shipped weights; and how often the choices of a clarify hold the right capability.`,
  async run() {
    const reach = await createReach({ data: LEARNING_DATA, manifests: null, logLevel: 'error' });
    try {
      const figures: Figure[] = [];
      for (const set of SETS) {
        await withCatalogue(reach, set, async (names) => {
          const missing = await measureMissingFields(reach, set, names, QUERIES);
          const choices = await measureChoices(reach, set, names, QUERIES);
          figures.push(...missingFigures(set.name, missing), ...choiceFigures(set.name, choices));
        });
      }
      return figures;
    } finally {
      await reach.close();
    }
  },
};
