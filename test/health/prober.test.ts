import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../src/health/probe.js';
import { PROBES_AT_ONCE } from '../../src/health/prober.js';
import {
  ERROR,
  NEEDS_AUTH,
  OK,
  ScriptedFleet,
  targetOf,
  targets,
  UNREACHABLE,
} from '../support/scripted-fleet.js';

const NEVER = new Promise<ProbeResult>(() => {});
const gaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0));

describe('a target', () => {
  it('is probed at once and then in its interval, a tenth longer or shorter', async () => {
    const fleet = new ScriptedFleet();
    const target = targetOf('a');
    fleet.prober.probe(target);
    await fleet.pass(100);
    expect(fleet.askedAt(target)).toHaveLength(1);
    await fleet.pass(600_000);
    const intervals = gaps(fleet.askedAt(target));
    expect(intervals.length).toBeGreaterThan(100);
    expect(Math.min(...intervals)).toBeGreaterThanOrEqual(4_400);
    expect(Math.max(...intervals)).toBeLessThanOrEqual(5_700);
    expect(new Set(intervals).size).toBeGreaterThan(5);
    expect(fleet.toldOf('a')).toHaveLength(fleet.asked.length);
  });

  it.each([OK, NEEDS_AUTH, ERROR, UNREACHABLE])('is told with its result: $kind $by', async (result) => {
    const fleet = new ScriptedFleet();
    fleet.answerTo = () => result;
    fleet.prober.probe(targetOf('a'));
    await fleet.pass(100);
    expect(fleet.told).toEqual([{ instanceId: 'a', result }]);
  });

  it('is never probed twice at a time', async () => {
    const fleet = new ScriptedFleet();
    fleet.answerTo = () => NEVER;
    fleet.prober.probe(targetOf('a'));
    await fleet.pass(100);
    fleet.prober.probeNow('reports', 'a');
    await fleet.pass(20_000);
    expect(fleet.asked).toHaveLength(1);
  });

  it('takes another interval from its next probe on, also while it is told', async () => {
    const fleet = new ScriptedFleet(() => 0.5);
    fleet.onProbed = (id) => fleet.prober.probe(targetOf(id, { everyMs: 10_000 }));
    fleet.prober.probe(targetOf('a'));
    await fleet.pass(31_000);
    expect(gaps(fleet.askedAt(targetOf('a')))).toEqual([10_050, 10_000, 10_000]);
  });

  it('with another address is probed there at once, and what the old one comes to is not told', async () => {
    const fleet = new ScriptedFleet();
    let answerOld: (result: ProbeResult) => void = () => {};
    fleet.answerTo = () => new Promise((resolve) => (answerOld = resolve));
    fleet.prober.probe(targetOf('a'));
    await fleet.pass(100);
    fleet.answerTo = () => OK;
    const moved = targetOf('a', { url: 'http://agent.example/moved' });
    fleet.prober.probe(moved);
    await fleet.pass(100);
    answerOld(UNREACHABLE);
    await fleet.pass(100);
    expect(fleet.askedAt(moved)).toHaveLength(1);
    expect(fleet.told).toEqual([{ instanceId: 'a', result: OK }]);
  });

  it('is left alone once it is forgotten, also while it is told', async () => {
    const fleet = new ScriptedFleet();
    fleet.onProbed = (id) => fleet.prober.forget('reports', id);
    fleet.prober.probe(targetOf('a'));
    fleet.prober.probe(targetOf('b'));
    fleet.prober.forget('reports', 'b');
    await fleet.pass(60_000);
    expect(fleet.asked.map(({ url }) => url)).toEqual([targetOf('a').url]);
  });
});

describe('a suspect', () => {
  it('is probed at once, but not again within a second', async () => {
    const fleet = new ScriptedFleet(() => 0.5);
    const target = targetOf('a');
    fleet.prober.probe(target);
    await fleet.pass(3_000);
    for (let i = 0; i < 60; i += 1) {
      fleet.prober.probeNow('reports', 'a');
      await fleet.pass(50);
    }
    expect(gaps(fleet.askedAt(target))).toEqual([2_950, 1_000, 1_000, 1_000]);
    await fleet.pass(11_000);
    expect(gaps(fleet.askedAt(target)).slice(-2)).toEqual([5_000, 5_000]);
  });

  it('that became one while it was probed is probed again: that probe says nothing of what came after', async () => {
    const fleet = new ScriptedFleet();
    let answer: (result: ProbeResult) => void = () => {};
    fleet.answerTo = () => new Promise((resolve) => (answer = resolve));
    fleet.prober.probe(targetOf('a'));
    await fleet.pass(1_500);
    fleet.prober.probeNow('reports', 'a');
    answer(OK);
    await fleet.pass(50);
    expect(fleet.asked).toHaveLength(2);
  });

  it('overtakes those who wait in line', async () => {
    const fleet = new ScriptedFleet();
    const answers: ((result: ProbeResult) => void)[] = [];
    fleet.answerTo = () => new Promise((resolve) => answers.push(resolve));
    fleet.probeAll(targets(PROBES_AT_ONCE + 20));
    await fleet.pass(1_000);
    const waiting = targets(PROBES_AT_ONCE + 20).findLast((target) => fleet.askedAt(target).length === 0);
    fleet.prober.probeNow('reports', waiting?.instanceId ?? '');
    answers[0]?.(OK);
    await fleet.pass(50);
    expect(fleet.asked.at(-1)?.url).toBe(waiting?.url);
  });

  it('that nobody knows is nothing', async () => {
    const fleet = new ScriptedFleet();
    fleet.prober.probeNow('reports', 'nobody');
    await fleet.pass(100);
    expect(fleet.asked).toEqual([]);
  });
});

describe('many targets', () => {
  it('that come together are spread over an interval', async () => {
    const fleet = new ScriptedFleet();
    fleet.probeAll(targets(1_000));
    const perSecond: number[] = [];
    for (let second = 0; second < 20; second += 1) {
      const before = fleet.asked.length;
      await fleet.pass(1_000);
      perSecond.push(fleet.asked.length - before);
    }
    expect(Math.max(...perSecond)).toBeLessThan(300);
    expect(fleet.mostRunning).toBeLessThanOrEqual(PROBES_AT_ONCE);
    for (const target of targets(1_000)) expect(fleet.askedAt(target).length).toBeGreaterThanOrEqual(3);
  });

  it('are probed at most 64 at once, the others wait for a place', async () => {
    const fleet = new ScriptedFleet();
    const answers: ((result: ProbeResult) => void)[] = [];
    fleet.answerTo = () => new Promise((resolve) => answers.push(resolve));
    fleet.probeAll(targets(200));
    await fleet.pass(4_000);
    expect(fleet.running).toBe(PROBES_AT_ONCE);
    for (const answer of answers.splice(0, 10)) answer(OK);
    await fleet.pass(50);
    expect(fleet.asked).toHaveLength(PROBES_AT_ONCE + 10);
    expect(fleet.running).toBe(PROBES_AT_ONCE);
  });

  it('that change by thousands leave nothing behind', async () => {
    const fleet = new ScriptedFleet();
    for (let round = 0; round < 10; round += 1) {
      fleet.probeAll(targets(2_000, round * 1_000));
      await fleet.pass(500);
      for (const { agentName, instanceId } of targets(1_500, round * 1_000)) {
        fleet.prober.forget(agentName, instanceId);
      }
    }
    for (const { agentName, instanceId } of targets(12_000)) {
      if (instanceId !== '10999') fleet.prober.forget(agentName, instanceId);
    }
    const before = fleet.asked.length;
    await fleet.pass(30_000);
    expect(new Set(fleet.asked.slice(before).map(({ url }) => url))).toEqual(
      new Set([targetOf('10999').url]),
    );
    expect(fleet.prober.reachability.detail).toBe('1 of 1 probed instances answer well.');
  });
});

it('leaves no timer and no probe when it is closed, and tells nothing more', async () => {
  const fleet = new ScriptedFleet();
  fleet.answerTo = () => NEVER;
  fleet.probeAll(targets(1));
  await fleet.pass(100);
  fleet.probeAll(targets(100, 1));
  await fleet.prober.close();
  expect(fleet.running).toBe(0);
  expect(fleet.clock.delays).toEqual([]);
  fleet.prober.probe(targetOf('late'));
  fleet.prober.probeNow('reports', '0');
  await fleet.pass(10_000);
  expect(fleet.asked).toHaveLength(1);
  expect(fleet.told).toEqual([]);
});
