import { type ChaosReport, judgeChaos } from './chaos-judge.js';
import { chaosRun } from './chaos-run.js';
import type { Figure } from './figure.js';

export async function chaos(seconds: number): Promise<ChaosReport> {
  return judgeChaos(await chaosRun(seconds));
}

/** What a run came to, held against what was promised of it. */
export function chaosFigures(report: ChaosReport): readonly Figure[] {
  const shown = { unit: '', better: 'higher', goal: null } as const;
  const none = { unit: '', better: 'lower', goal: 0 } as const;
  const { requests, completed, harmed, breakers, wrongBreakers } = report;
  return [
    { name: 'requests', value: requests, ...shown },
    { name: 'of them completed', value: (100 * completed) / requests, ...shown, unit: '%' },
    { name: 'calls with which something went wrong', value: harmed, ...shown },
    { name: 'not ended in exactly one final state', value: report.notOneEnd.length, ...none },
    {
      name: 'carried out again where that was not allowed',
      value: report.carriedOutAgain.length,
      ...none,
    },
    { name: 'on a failed instance again', value: report.onFailedInstance.length, ...none },
    { name: 'attempts', value: report.attemptsEach, unit: 'a request', better: 'lower', goal: 1.2 },
    {
      name: `of ${breakers} breakers opened, tried single calls and closed`,
      value: breakers - wrongBreakers.length,
      unit: '',
      better: 'higher',
      goal: breakers,
    },
  ];
}
