import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CallOutcome, isEligible, reachabilityOf } from '../../src/health/instance-view.js';
import type { ProbeResult } from '../../src/health/probe.js';
import type { InstanceReport } from '../../src/registry/instance.js';
import { TestCatalogue } from '../support/test-catalogue.js';
import { registered, WatchedTable } from '../support/watched-table.js';

const OUTCOMES: CallOutcome['outcome'][] = [
  'completed',
  'failed',
  'timeout',
  'unreachable',
  'refused',
  'busy',
  'needs_auth',
];

const probe: fc.Arbitrary<ProbeResult> = fc.oneof(
  fc.record({ kind: fc.constant('ok' as const), rttMs: fc.double({ min: 0, max: 10_000, noNaN: true }) }),
  fc.constant({ kind: 'needs_auth', detail: 'it answered 403' } as const),
  fc.constant({ kind: 'failed', by: 'answer', detail: 'it answered 500' } as const),
);
const report: fc.Arbitrary<InstanceReport> = fc.record({
  state: fc.constantFrom('up', 'up', 'up', 'paused', 'draining'),
  pending: fc.option(fc.nat(20), { nil: undefined }),
  load: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
});

const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('probe' as const), result: probe }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('beat' as const), report }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lease' as const), holds: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), restarted: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      outcome: fc.constantFrom(...OUTCOMES),
      times: fc.nat(12),
      stays: fc.boolean(),
    }),
  },
);

it('whatever happens to an instance, its view, its changes and its commands make sense', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(happening, fc.nat(20_000)), { maxLength: 60 }),
      fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
      (happenings, maxConcurrency) => {
        const watched = new WatchedTable();
        const { table, clock } = watched;
        const catalogue = new TestCatalogue();
        catalogue.follow(table);
        catalogue.publish({ agentName: 'reports', maxConcurrency });
        watched.join(registered('a'));
        /** Told to pause, and has not said since that it works. */
        let told = false;

        for (const [event, passes] of happenings) {
          clock.pass(passes);
          if (event.kind === 'probe') table.probed('reports', 'a', event.result);
          if (event.kind === 'lease') table.leaseChanged('reports', 'a', event.holds);
          if (event.kind === 'edit') {
            table.applyInstances([
              { kind: 'changed', instance: registered('a'), restarted: event.restarted },
            ]);
            told &&= !event.restarted;
          }
          if (event.kind === 'call') {
            if (event.stays) table.begin('reports', 'a', 'weekly');
            watched.call('a', event.outcome, event.times);
          }
          if (event.kind === 'beat') {
            const { commands, fenced } = table.heard('reports', 'a', event.report);
            expect(commands.length).toBeLessThanOrEqual(1);
            if (commands.includes('pause')) {
              expect(fenced).toBe(true);
              expect(told || event.report.state === 'up').toBe(true);
            }
            if (commands.includes('resume')) expect([told, event.report.state]).toEqual([true, 'paused']);
            if (event.report.state !== 'paused') told = commands.includes('pause');
          }

          const view = watched.view('a');
          expect(view.reachability).toBeGreaterThanOrEqual(0);
          expect(view.reachability).toBeLessThanOrEqual(1);
          expect(view.reason).not.toBe('');
          expect(view.since).toBeLessThanOrEqual(clock.now());
          expect(view.state).toBe(watched.changes.at(-1)?.to);
          if (isEligible(view, 'weekly')) expect(['up', 'degraded', 'busy']).toContain(view.state);
          const { mean, min, eligible } = reachabilityOf(table.instancesOf('reports'));
          expect([mean, min]).toEqual([view.reachability, view.reachability]);
          expect(eligible).toBe(Number(['up', 'degraded', 'busy'].includes(view.state)));
        }
        const states = watched.changes.map(({ to }) => to);
        expect(watched.changes.map(({ from }) => from)).toEqual([null, ...states.slice(0, -1)]);
        expect(clock.delays.length).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 500 },
  );
});
