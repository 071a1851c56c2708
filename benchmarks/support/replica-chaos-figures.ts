import type { Figure } from './figure.js';
import type { ReplicaChaos } from './replica-chaos-run.js';

/** What a run came to, held against what was promised of it. */
export function replicaChaosFigures(chaos: ReplicaChaos): readonly Figure[] {
  const shown = { unit: '', better: 'higher', goal: null } as const;
  const none = { unit: '', better: 'lower', goal: 0 } as const;
  const { faults, waited } = chaos;
  const sent = Object.values(waited).reduce((sum, count) => sum + count, 0);
  return [
    { name: 'replicas killed', value: faults.kills, ...shown },
    { name: 'times that all connections to Redis were cut', value: faults.cuts, ...shown },
    { name: 'Redis paused for 10 s', value: faults.pauses, ...shown },
    { name: 'Redis killed, and back with its append-only file', value: faults.restarts, ...shown },
    { name: 'requests that were waited for, without a key', value: sent, ...shown },
    { name: 'of them completed', value: (100 * (waited.completed ?? 0)) / sent, ...shown, unit: '%' },
    { name: 'of them lost with the connection to a killed replica', value: waited.lost ?? 0, ...shown },
    { name: 'asynchronous requests with a key', value: chaos.keyed, ...shown },
    { name: 'of them completed', value: (100 * chaos.completed) / chaos.keyed, ...shown, unit: '%' },
    { name: 'not ended in exactly one final state', value: chaos.notOneEnd.length, ...none },
    { name: 'carried out again where that was not allowed', value: chaos.carriedOutAgain.length, ...none },
    { name: 'answers under keys', value: chaos.keyOperations, ...shown },
    { name: 'keys that are not linearizable', value: chaos.wrongKeys.length, ...none },
    { name: 'reads and writes of sessions', value: chaos.sessionOperations, ...shown },
    { name: 'sessions that are not linearizable', value: chaos.wrongSessions.length, ...none },
    { name: 'acknowledged publishes', value: chaos.publishes, ...shown },
    { name: 'acknowledged tickets', value: chaos.tickets, ...shown },
    { name: 'of both, lost', value: chaos.lostWrites.length, ...none },
  ];
}
