import { beforeEach, describe, expect, test } from 'vitest';
import { InstanceTable } from '../../src/health/instance-table.js';
import { DecisionRecorder } from '../../src/record/decision-recorder.js';
import { OutcomeReports } from '../../src/record/outcome-reports.js';
import { MemoryRecordStore } from '../../src/storage/memory/record-store.js';
import { HandClock } from '../support/hand-clock.js';
import { memoryInstanceRegistry } from '../support/memory-instance-registry.js';
import { decision } from '../support/stand-in-reach.js';
import { TestCatalogue } from '../support/test-catalogue.js';

const HOUR = 3_600_000;
const published = {
  agentName: 'report-agent',
  capabilities: [{ id: 'weekly-summary' }],
  instances: [{ instanceId: 'a', address: 'http://127.0.0.1:9595' }],
};

describe('OutcomeReports', () => {
  const clock = new HandClock();
  let table: InstanceTable;
  let catalogue: TestCatalogue;
  let told: string[];
  let recorder: DecisionRecorder;
  let outcomes: OutcomeReports;
  const view = () => table.instancesOf('report-agent')[0];

  beforeEach(() => {
    table = new InstanceTable(clock);
    const existing = memoryInstanceRegistry();
    existing.follow(table);
    catalogue = new TestCatalogue();
    catalogue.follow(table);
    catalogue.follow(existing);
    catalogue.publish(published);
    told = [];
    const instances = {
      instancesOf: (agentName: string) => table.instancesOf(agentName),
      begin: (agentName: string, instanceId: string, capabilityId: string) => {
        const end = table.begin(agentName, instanceId, capabilityId);
        return (outcome: Parameters<typeof end>[0]) => {
          told.push(`${agentName}/${instanceId} ${outcome.outcome} ${outcome.elapsedMs}`);
          end(outcome);
        };
      },
    };
    recorder = new DecisionRecorder({
      store: new MemoryRecordStore(),
      team: 't',
      salt: 's',
      clock,
      report: () => {},
    });
    outcomes = new OutcomeReports({ recorder, instances, catalogue: () => catalogue.snapshot(), clock });
    recorder.decided({ atMs: clock.now(), request: { intent: 'x' }, decision });
  });

  test('counts as a call of ours, once, and is kept', async () => {
    await outcomes.report('rt_1', { status: 'completed', latencyMs: 80 });
    expect(view()).toMatchObject({ latencyMs: 80, pending: 0 });
    await expect(outcomes.report('rt_1', { status: 'failed' })).rejects.toMatchObject({
      code: 'OUTCOME_REPORTED',
    });
    expect(told).toEqual(['report-agent/a completed 80']);
    const reported = { status: 'completed', latencyMs: 80, rightCapability: null };
    expect(await recorder.find('rt_1')).toMatchObject({ reported });
  });

  test('of two at once only one counts', async () => {
    await recorder.flush();
    const both = [1, 2].map(() => outcomes.report('rt_1', { status: 'failed' }));
    const settled = (await Promise.allSettled(both)).map(({ status }) => status);
    expect(settled.sort()).toEqual(['fulfilled', 'rejected']);
    expect(told).toHaveLength(1);
  });

  test('without a latency leaves that of the instance as it is', async () => {
    await outcomes.report('rt_1', { status: 'completed' });
    expect(told).toEqual(['report-agent/a completed undefined']);
    expect(view()).toMatchObject({ latencyMs: undefined });
  });

  test('is refused for a route that nobody knows, and for a right capability that is not there', async () => {
    await expect(outcomes.report('rt_2', { status: 'failed' })).rejects.toMatchObject({
      code: 'ROUTE_UNKNOWN',
    });
    await expect(
      outcomes.report('rt_1', { status: 'failed', rightCapability: 'weekly-summary' }),
    ).rejects.toThrow('Did you mean report-agent/weekly-summary?');
    for (const rightCapability of ['weekly-summary', 'report-agent/gone', 'no-agent/weekly-summary']) {
      await expect(outcomes.report('rt_1', { status: 'failed', rightCapability })).rejects.toMatchObject({
        code: 'CAPABILITY_UNKNOWN',
      });
    }
    expect(told).toEqual([]);
    await outcomes.report('rt_1', { status: 'failed', rightCapability: 'report-agent/weekly-summary' });
    expect(told).toHaveLength(1);
  });

  test.each([
    ['that had another address when it was called', () => catalogue.publish(moved)],
    ['that has gone', () => catalogue.remove('report-agent')],
    ['that was called long ago', () => clock.pass(HOUR + 1)],
  ])('tells nothing of an instance %s, and is kept as a label', async (_, happen) => {
    happen();
    await outcomes.report('rt_1', { status: 'unreachable' });
    expect(told).toEqual([]);
    expect((await recorder.find('rt_1'))?.reported?.status).toBe('unreachable');
  });
  const moved = { ...published, instances: [{ instanceId: 'a', address: 'http://127.0.0.1:9596' }] };
});
