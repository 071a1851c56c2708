import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { HttpProbe } from '../../src/health/http-probe.js';
import type { ProbeResult } from '../../src/health/probe.js';
import { Prober } from '../../src/health/prober.js';
import { FreshHttpClient } from '../../src/net/fresh-http-client.js';
import { rawServer } from '../support/local-servers.js';
import {
  ERROR,
  NEEDS_AUTH,
  OK,
  ScriptedFleet,
  targetOf,
  targets,
  UNREACHABLE,
} from '../support/scripted-fleet.js';
import { until } from '../support/until.js';

const ROUND_MS = 6_000;

/** A fleet of which the first so many answer as the test says from the second round on, and the others well. */
async function fleetWith(size: number, first: number, result: ProbeResult) {
  const fleet = new ScriptedFleet();
  fleet.probeAll(targets(size));
  await fleet.pass(ROUND_MS);
  fleet.told.length = 0;
  const answer = { first, result };
  fleet.answerTo = (url) => (Number(url.split('/').at(-1)) < answer.first ? answer.result : OK);
  const failures = () => fleet.told.filter(({ result: told }) => told.kind === 'failed');
  /** The most failures that were told of one instance. */
  const mostOfOne = () =>
    Math.max(
      0,
      ...targets(size).map(
        ({ instanceId }) => fleet.toldOf(instanceId).filter(({ kind }) => kind === 'failed').length,
      ),
    );
  return { fleet, answer, failures, mostOfOne };
}

describe('our own network', () => {
  it('is at fault where more than half of those that answered go silent: nobody is taken out', async () => {
    const { fleet, mostOfOne } = await fleetWith(20, 11, UNREACHABLE);
    await fleet.pass(60_000);
    expect(mostOfOne()).toBeLessThan(2);
    expect(fleet.reports).toHaveLength(1);
    expect(fleet.reports[0]).toEqual(fleet.prober.reachability);
    expect(fleet.prober.reachability).toEqual({
      state: 'degraded',
      detail:
        '11 of the 20 instances that answered probes until now cannot be reached any more: our own network is taken to be at fault, and nobody is taken out for it.',
    });
  });

  it('is not at fault for half of them, nor for four', async () => {
    for (const [size, silent] of [
      [20, 10],
      [4, 4],
    ] as const) {
      const { fleet, failures } = await fleetWith(size, silent, UNREACHABLE);
      await fleet.pass(4 * ROUND_MS);
      expect(failures().length).toBeGreaterThanOrEqual(3 * silent);
      expect(fleet.reports).toEqual([]);
      expect(fleet.prober.reachability.detail).toBe(
        `${size - silent} of ${size} probed instances answer well; ${silent} cannot be reached.`,
      );
    }
  });

  it('comes back: who can be reached is told, and who still fails counts from then', async () => {
    const { fleet, answer, failures } = await fleetWith(20, 20, UNREACHABLE);
    await fleet.pass(30_000);
    const counted = failures().length;
    answer.first = 6;
    await fleet.pass(2 * ROUND_MS);
    expect(fleet.reports.map(({ state }) => state)).toEqual(['degraded', 'ok']);
    expect(fleet.toldOf('19').at(-1)).toEqual(OK);
    await fleet.pass(3 * ROUND_MS);
    expect(failures().length - counted).toBeGreaterThanOrEqual(18);
    expect(
      new Set(
        failures()
          .slice(counted)
          .map(({ instanceId }) => instanceId),
      ).size,
    ).toBe(6);
  });

  it('is at fault also where silent probes fill all places, and a round takes as long as they do', async () => {
    const { fleet, mostOfOne } = await fleetWith(1_000, 0, UNREACHABLE);
    fleet.answerTo = () => new Promise((resolve) => fleet.clock.after(2_000, () => resolve(UNREACHABLE)));
    await fleet.pass(60_000);
    expect(fleet.reports.map(({ state }) => state)).toEqual(['degraded']);
    expect(mostOfOne()).toBeLessThan(2);
  });

  it('does not hide what answers with an error by itself', async () => {
    const { fleet } = await fleetWith(20, 12, UNREACHABLE);
    await fleet.pass(2 * ROUND_MS);
    const silent = fleet.answerTo;
    fleet.answerTo = (url) => (url === targetOf('19').url ? ERROR : silent(url));
    await fleet.pass(3 * ROUND_MS);
    expect(fleet.toldOf('19').slice(-3)).toEqual([ERROR, ERROR, ERROR]);
  });

  it('is no longer at fault when those that are silent are forgotten', async () => {
    const { fleet } = await fleetWith(10, 8, UNREACHABLE);
    await fleet.pass(ROUND_MS);
    for (const { agentName, instanceId } of targets(6)) fleet.prober.forget(agentName, instanceId);
    expect(fleet.reports.map(({ state }) => state)).toEqual(['degraded', 'ok']);
  });
});

describe('half of a fleet ejected with nobody told', () => {
  it.each([
    [ERROR, '12 answer with an error'],
    [NEEDS_AUTH, '12 ask for a login'],
  ])('cannot be, whatever they answer: %o', async (result, words) => {
    const { fleet } = await fleetWith(20, 12, result);
    await fleet.pass(ROUND_MS);
    expect(fleet.told.filter((told) => told.result === result).length).toBeGreaterThanOrEqual(12);
    expect(fleet.prober.reachability).toEqual({
      state: 'degraded',
      detail: `8 of 20 probed instances answer well; ${words}.`,
    });
    expect(fleet.reports.map(({ state }) => state)).toEqual(['degraded']);
    fleet.answerTo = () => OK;
    await fleet.pass(ROUND_MS);
    expect(fleet.reports.map(({ state }) => state)).toEqual(['degraded', 'ok']);
    expect(fleet.prober.reachability.detail).toBe('20 of 20 probed instances answer well.');
  });

  it('cannot be where they go silent one after the other', async () => {
    const { fleet, answer } = await fleetWith(20, 0, UNREACHABLE);
    for (answer.first = 1; answer.first < 12; answer.first += 1) await fleet.pass(10_000);
    expect(fleet.prober.reachability.state).toBe('degraded');
    expect(fleet.prober.reachability.detail).toMatch(
      / of 20 probed instances answer well; 1[12] cannot be reached\.$/,
    );
  });
});

describe('an event loop that stands still', () => {
  it('for longer than 500 ms: what failed meanwhile does not count, what succeeded does', async () => {
    const told: ProbeResult['kind'][] = [];
    const prober = new Prober({
      clock: systemClock,
      client: new HttpProbe(new FreshHttpClient(), systemClock),
      random: Math.random,
      observer: { probed: (_, __, { kind }) => told.push(kind), reachabilityChanged: () => {} },
    });
    onTestFinished(() => prober.close());
    let open = false;
    const server = await rawServer((socket) => {
      if (open) socket.end('HTTP/1.1 200 OK\r\n\r\n');
    });
    prober.probe(targetOf('a', { url: server.url.href, everyMs: 2_500 }));
    await until(() => server.sockets.length === 1);
    const stalledFrom = performance.now();
    while (performance.now() - stalledFrom < 700);
    await until(() => server.sockets.length === 2);
    expect(told).toEqual([]);
    // The second one fails with nothing in its way.
    await until(() => told.length === 1);
    expect(told).toEqual(['failed']);
    open = true;
    await until(() => told.at(-1) === 'ok');
  });

  it('for less: what failed counts', async () => {
    const fleet = new ScriptedFleet();
    let answer: (result: ProbeResult) => void = () => {};
    fleet.answerTo = () => new Promise((resolve) => (answer = resolve));
    fleet.prober.probe(targetOf('a'));
    await fleet.pass(100);
    fleet.clock.pass(400);
    answer(UNREACHABLE);
    await fleet.pass(50);
    expect(fleet.told).toHaveLength(1);
  });
});

it('leaves no socket and no timer when it is closed', async () => {
  const server = await rawServer(() => {});
  const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const prober = new Prober({
    clock: systemClock,
    client: new HttpProbe(new FreshHttpClient(), systemClock),
    random: Math.random,
    observer: { probed: () => {}, reachabilityChanged: () => {} },
  });
  for (const target of targets(100)) prober.probe({ ...target, url: server.url.href });
  await until(() => server.sockets.length >= 50);
  await prober.close();
  await until(() => server.sockets.every((socket) => socket.destroyed));
  const asked = server.sockets.length;
  await wait(300);
  expect(server.sockets).toHaveLength(asked);
  expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBeLessThanOrEqual(
    before,
  );
});
