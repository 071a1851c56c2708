import { describe, expect, it } from 'vitest';
import { farDeadlines } from '../../src/doctor/deadline-check.js';
import { instancesWithoutManifest } from '../../src/doctor/instance-check.js';
import { unknownStrategies } from '../../src/doctor/strategy-check.js';
import { unreachedCapabilities, unusedAgents } from '../../src/doctor/usage-checks.js';
import { UsageLog } from '../../src/doctor/usage-log.js';
import { foreignWeights } from '../../src/doctor/weights-check.js';
import { ReachError } from '../../src/errors.js';
import type { InstanceView } from '../../src/health/instance-view.js';
import { InstanceChoice } from '../../src/routing/instance-choice.js';
import { uncalibratedWeights } from '../../src/routing/weights.js';
import { HandClock } from '../support/hand-clock.js';
import { decision } from '../support/stand-in-reach.js';
import { TestCatalogue } from '../support/test-catalogue.js';

function catalogueOf(...agents: Parameters<TestCatalogue['publish']>[0][]) {
  const catalogue = new TestCatalogue();
  for (const agent of agents) catalogue.publish(agent);
  return () => catalogue.snapshot();
}

describe('agents nobody routes to, and capabilities no query reached', () => {
  const catalogue = catalogueOf(
    { agentName: 'report-agent', capabilities: [{ id: 'weekly-summary' }, { id: 'yearly' }] },
    { agentName: 'sheet-agent', capabilities: [{ id: '表格转换' }] },
    { agentName: 'idle-agent', capabilities: [{ id: 'nothing' }] },
  );

  function afterDecisions(count: number) {
    const log = new UsageLog(new HandClock());
    for (let i = 0; i < count; i += 1) log.decided({ atMs: 0, request: {}, decision });
    return { catalogue, usage: () => log.usage() };
  }

  it('are told by name', () => {
    const sources = afterDecisions(100);
    expect(unusedAgents(sources).examine()).toMatchObject([
      { subject: 'sheet-agent' },
      { subject: 'idle-agent' },
    ]);
    expect(unreachedCapabilities(sources).examine()).toMatchObject([
      { subject: 'report-agent/yearly' },
      { subject: 'idle-agent/nothing' },
    ]);
  });

  it('are not guessed at from a few decisions', () => {
    const sources = afterDecisions(99);
    expect(unusedAgents(sources).examine()).toEqual([]);
    expect(unreachedCapabilities(sources).examine()).toEqual([]);
  });
});

describe('instances without a manifest', () => {
  it('are told with the name that they registered for', () => {
    const instances = () => [
      { agentName: 'known', instanceId: 'a' },
      { agentName: 'knwon', instanceId: 'b' },
    ];
    const check = instancesWithoutManifest({ catalogue: catalogueOf({ agentName: 'known' }), instances });
    expect(check.examine()).toMatchObject([{ severity: 'warning', subject: 'knwon/b' }]);
  });
});

describe('strategies that the service lacks', () => {
  it('are told with the capability that names them', () => {
    const catalogue = catalogueOf({
      agentName: 'dice',
      capabilities: [
        { id: 'roll', instanceStrategy: 'newest' },
        { id: 'flip', instanceStrategy: 'sticky' },
        { id: 'draw' },
      ],
    });
    expect(unknownStrategies({ catalogue, strategies: new InstanceChoice() }).examine()).toMatchObject([
      { subject: 'dice/roll', sentence: expect.stringContaining('newest') },
    ]);
  });
});

describe('deadlines far from the measured latency', () => {
  function findingsFor(deadlineMs: number | undefined, latencies: readonly (number | undefined)[]) {
    const catalogue = catalogueOf({ agentName: 'a', capabilities: [{ id: 'x', deadlineMs }] });
    const views = latencies.map((latencyMs) => ({ latencyMs }) as InstanceView);
    return farDeadlines({ catalogue, instances: { instancesOf: () => views } }).examine();
  }

  it('are too tight for the slowest instance, or so wide that a call that hangs waits for long', () => {
    expect(findingsFor(1_000, [100, 900])).toMatchObject([{ severity: 'warning', subject: 'a/x' }]);
    expect(findingsFor(60_000, [100])).toMatchObject([{ severity: 'note', subject: 'a/x' }]);
  });

  it('are left alone where they fit, are short, are not declared, or nothing was measured', () => {
    expect(findingsFor(1_000, [100, 500])).toEqual([]);
    expect(findingsFor(9_000, [1])).toEqual([]);
    expect(findingsFor(undefined, [1])).toEqual([]);
    expect(findingsFor(60_000, [undefined])).toEqual([]);
  });
});

describe('weights of another model', () => {
  const configured = { ...uncalibratedWeights('a'.repeat(64)), version: 'w-1', trained_on: 'sets' };
  const inForce = { current: configured, misfits: [] };

  it('are told before the next start is refused because of them', async () => {
    const onDisk = () =>
      Promise.reject(new ReachError('MODEL_INVALID', 'weights.json belongs to another model'));
    expect(await foreignWeights({ inForce, configured, onDisk }).examine()).toMatchObject([
      { severity: 'error', sentence: 'weights.json belongs to another model' },
    ]);
  });

  it('are told where they are new, or where nobody has measured them', async () => {
    const onDisk = async () => ({ ...configured, version: 'w-2' });
    expect(await foreignWeights({ inForce, configured, onDisk }).examine()).toMatchObject([
      { severity: 'note', subject: 'w-2' },
    ]);
    const uncalibrated = uncalibratedWeights('a'.repeat(64));
    const findings = await foreignWeights({
      inForce: { current: uncalibrated, misfits: [] },
      configured: uncalibrated,
      onDisk: async () => uncalibrated,
    }).examine();
    expect(findings).toMatchObject([{ severity: 'warning', subject: 'uncalibrated' }]);
  });

  it('are told where they were applied once, and others serve in their place', async () => {
    const misfit = { weightsVersion: 'tuned-1', sentence: 'The weights tuned-1 belong to another model.' };
    const sources = { inForce: { current: configured, misfits: [misfit] }, configured };
    expect(await foreignWeights({ ...sources, onDisk: async () => configured }).examine()).toMatchObject([
      { severity: 'warning', subject: 'tuned-1', sentence: misfit.sentence },
    ]);
  });

  it('are no finding where they are those that serve, or where others were applied since', async () => {
    const onDisk = async () => configured;
    expect(await foreignWeights({ inForce, configured, onDisk }).examine()).toEqual([]);
    const applied = { current: { ...configured, version: 'tuned-1' }, misfits: [] };
    expect(await foreignWeights({ inForce: applied, configured, onDisk }).examine()).toEqual([]);
  });
});
