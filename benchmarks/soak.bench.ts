import type { Bench } from './support/figure.js';
import { soak, soakFigures } from './support/soak-figures.js';

const SECONDS = 600;

export const bench: Bench = {
  name: 'soak',
  title: '200 instances that join, leave, move and flap for ten minutes, under 200 routes a second.',
  run: async () => soakFigures(await soak(SECONDS)),
};
