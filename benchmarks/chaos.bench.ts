import { chaos, chaosFigures } from './support/chaos-figures.js';
import type { Bench } from './support/figure.js';
import { nodeLossFigures } from './support/node-loss-figures.js';
import { nodeLossRun } from './support/node-loss-run.js';

const SECONDS = 300;
const REQUESTS = 500;

export const bench: Bench = {
  name: 'chaos',
  title: `Requests for ${SECONDS / 60} minutes to 6 instances of 3 agents behind proxies that let something go wrong with a tenth of the calls, half of the instances failing at everything at first; then kill -9 of the service in the middle of ${REQUESTS} asynchronous requests.`,
  run: async () => [...chaosFigures(await chaos(SECONDS)), ...nodeLossFigures(await nodeLossRun(REQUESTS))],
};
