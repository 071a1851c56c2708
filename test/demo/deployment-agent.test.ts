import { describe, expect, test } from 'vitest';
import { createDeploymentAgent } from '../../src/demo/agents/deployment-agent.js';
import { ask, askToTheEnd, faultsOf } from './ask.js';

const create = (stepMs = 0) => createDeploymentAgent(() => new Date('2025-03-10T12:00:00Z'), stepMs);

describe('a release', () => {
  test('is read out of the sentence, and runs afterwards', async () => {
    const agent = create();
    const canary = { strategy: { kind: 'canary', percent: 10 } };
    const intent = '把 search 2.0.0 发布到生产环境';
    const { answer, told } = await askToTheEnd(agent, 'deploy-service', canary, { intent });
    const { result, reply } = answer;
    expect(told).toEqual([
      ['acknowledge', { estimatedDelayMs: 0 }],
      ['progress', { traffic_percent: 3 }],
      ['progress', { traffic_percent: 5 }],
      ['progress', { traffic_percent: 10 }],
    ]);
    expect(result).toEqual({
      state: 'deployed',
      service: 'search',
      environment: 'production',
      version: '2.0.0',
      previous_version: '1.9.2',
      traffic_percent: 10,
    });
    expect(reply).toBe('search 已从 1.9.2 发布到 2.0.0(production,流量 10%)。');
    expect(ask(agent, 'deployment-status', { service: 'search' }).result).toMatchObject({
      services: [{ production: '2.0.0', versions_behind: 0 }],
    });
    const again = ask(agent, 'deploy-service', null, 'deploy search 2.0.0 to production');
    expect(again.result).toMatchObject({ state: 'unchanged' });
  });

  test('goes to production only after staging', async () => {
    const agent = create();
    const intent = 'ship search 2.1.0 to production';
    const toProduction = async () =>
      (await askToTheEnd(agent, 'deploy-service', null, { intent })).answer.result;
    expect(await toProduction()).toMatchObject({ state: 'refused', refused_because: 'not_on_staging' });
    const staging = { service: 'search', version: '2.1.0', environment: 'staging' };
    await askToTheEnd(agent, 'deploy-service', staging);
    expect(await toProduction()).toMatchObject({ state: 'deployed' });
  });

  test('that is cancelled while it rolls out is none', async () => {
    const agent = create(60_000);
    const cancel = new AbortController();
    const releases = () => ask(agent, 'deployment-history', null).result;
    const before = releases();
    const intent = 'deploy search 2.0.0 to production';
    const rolling = askToTheEnd(agent, 'deploy-service', null, { intent, signal: cancel.signal });
    cancel.abort();
    await expect(rolling).rejects.toThrow('aborted');
    expect(releases()).toEqual(before);
  });

  const RELEASE = { service: 'search', version: '2.0.0', environment: 'production' };
  test.each([
    [{ ...RELEASE, service: 'billing' }, '/service'],
    [{ ...RELEASE, version: '9.9.9' }, '/version'],
    [{ ...RELEASE, environment: 'moon' }, '/environment'],
    [{ ...RELEASE, environment: undefined }, '/environment'],
    [{ ...RELEASE, strategy: { kind: 'canary' } }, '/strategy/percent'],
    [{ ...RELEASE, strategy: { kind: 'rolling', percent: 5 } }, '/strategy/percent'],
    [{ ...RELEASE, strategy: { percent: 5 } }, '/strategy/kind'],
    [null, '/service'],
  ])('makes no sense as %j', (payload, pointer) => {
    expect(faultsOf(create(), 'deploy-service', payload)).toMatchObject([{ pointer }]);
  });
});

test('a roll-back goes to the version before, as long as there is one', () => {
  const agent = create();
  const back = () => ask(agent, 'roll-back-service', null, '把 checkout 服务回滚到上一个版本');
  expect(back()).toMatchObject({
    result: { state: 'rolled_back', environment: 'production', from_version: '2.4.0', version: '2.3.1' },
    reply: 'checkout 在 production 已从 2.4.0 回滚到 2.3.1。',
  });
  expect(back()).toMatchObject({ result: { state: 'refused', version: '2.3.1' } });
  expect(faultsOf(agent, 'roll-back-service', null, 'roll it back')).toMatchObject([{ pointer: '/service' }]);
});

test('the status compares the environments of one service or all', () => {
  expect(ask(create(), 'deployment-status', null, 'what is live').result).toEqual({
    services: [
      { service: 'checkout', staging: '2.4.1', production: '2.4.0', versions_behind: 1 },
      { service: 'payment', staging: '1.8.1', production: '1.8.1', versions_behind: 0 },
      { service: 'search', staging: '2.0.0', production: '1.9.2', versions_behind: 1 },
    ],
  });
  expect(ask(create(), 'deployment-status', null, 'payment 线上是哪个版本').reply).toBe(
    '线上版本:payment 1.8.1 (staging 1.8.1)。',
  );
});

test('the history is told newest first, narrowed by sentence or payload', () => {
  const agent = create();
  const { result } = ask(agent, 'deployment-history', { limit: 2 }, 'who deployed checkout to production');
  expect(result).toMatchObject({
    total: 4,
    releases: [
      { version: '2.4.0', action: 'rollback', by: 'Tom' },
      { version: '2.4.1', action: 'deploy' },
    ],
  });
  expect(ask(agent, 'deployment-history', null, '最近的发布记录').result).toMatchObject({ total: 15 });
  expect(faultsOf(agent, 'deployment-history', { limit: 0 })).toMatchObject([{ pointer: '/limit' }]);
});
