import type { Figure } from './figure.js';
import type { NodeLoss } from './node-loss-judge.js';

/** What became of requests in whose midst the service was killed, held against what was promised of them. */
export function nodeLossFigures(loss: NodeLoss): readonly Figure[] {
  const shown = { unit: '', better: 'higher', goal: null } as const;
  const none = { unit: '', better: 'lower', goal: 0 } as const;
  const of = `of ${loss.requests} requests around a kill -9`;
  return [
    { name: `${of}: under way then`, value: loss.underWay, ...shown },
    { name: `${of}: completed`, value: loss.completed, ...shown },
    { name: `${of}: failed as NODE_LOST`, value: loss.nodeLost, ...shown },
    { name: `${of}: lost, or ended otherwise`, value: loss.wronglyEnded.length, ...none },
    { name: `${of}: repeated silently, or where that is not allowed`, value: loss.repeated.length, ...none },
  ];
}
