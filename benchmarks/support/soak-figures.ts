import type { Figure } from './figure.js';
import { withFleetService } from './fleet-service.js';
import { freshTexts } from './fresh-texts.js';
import { SOAK_AGENTS, type SoakReport, SoakRun } from './soak-run.js';

const INTENTS = 50;

/** Changes membership all the time under routes, in a service of its own, which has to end in order. */
export function soak(seconds: number): Promise<SoakReport> {
  return withFleetService(SOAK_AGENTS, (service, fleet) =>
    new SoakRun(service, fleet, freshTexts(INTENTS)).run(seconds),
  );
}

/** What a soak found, held against what was promised of it. */
export function soakFigures({
  seconds,
  routes,
  named,
  changes,
  stale,
  failed,
  memoryRatio,
}: SoakReport): readonly Figure[] {
  const shown = { better: 'higher', goal: null } as const;
  const none = { unit: '', better: 'lower', goal: 0 } as const;
  return [
    { name: 'routes', value: routes / seconds, unit: '/s', ...shown },
    { name: 'of them that named an instance', value: (100 * named) / routes, unit: '%', ...shown },
    { name: 'changes of membership', value: changes, unit: '', ...shown },
    { name: 'decisions for an instance that had left or moved', value: stale.length, ...none },
    { name: 'routes that failed', value: failed.length, ...none },
    {
      name: 'memory at the end, of that after a fifth',
      value: memoryRatio,
      unit: 'x',
      better: 'lower',
      goal: 1.1,
    },
  ];
}
