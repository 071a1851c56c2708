import { afterAll, beforeAll, expect, test } from 'vitest';
import { AnyReplica, type ReplicaAnswer, type ReplicaCall } from '../../benchmarks/support/any-replica.js';
import { freshTexts } from '../../benchmarks/support/fresh-texts.js';
import { ReplicaSet } from '../../benchmarks/support/replica-set.js';
import { templatedManifests } from '../../benchmarks/support/templated-manifests.js';
import { kitAgent } from '../support/kit-agent.js';
import { describeWithRedisServer } from '../support/redis.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const INTENTS = 1_000;
/** Of a service that is whole again; more than is promised, since this machine may be busy. */
const WHOLE_AGAIN_MS = 20_000;

describeWithRedisServer('three replicas over one Redis', () => {
  let replicas: ReplicaSet;

  beforeAll(async () => {
    replicas = await ReplicaSet.open(3, await temporaryFolder(afterAll));
  });
  afterAll(() => replicas.close());

  const all = <Result>(work: (url: string) => Promise<Result>) => Promise.all(replicas.urls.map(work));
  const urlOf = (index: number) => replicas.urls[index] ?? '';
  async function call(url: string, request: ReplicaCall): Promise<ReplicaAnswer> {
    const answer = await new AnyReplica([url], () => 0).once(request);
    if (answer === undefined) throw new Error(`${url} does not answer`);
    return answer;
  }
  const body = async (url: string, path: string) => (await call(url, { path })).body;
  const put = (url: string, path: string, given: unknown, headers = {}) =>
    call(url, { method: 'PUT', path, body: given, headers });
  const route = (url: string, given: object) =>
    call(url, { method: 'POST', path: '/api/v1/route', body: given });
  const manifest = (agentName: string, version = 1, more: object = {}) => ({
    ...{ agent_name: agentName, manifest_version: version },
    capabilities: [
      { id: 'work', name: `Do the ${agentName} work`, examples: [`do ${agentName} for me`], ...more },
    ],
  });

  test('a manifest, its next version and its removal by one count on all', async () => {
    await put(urlOf(0), '/api/v1/agents/seen/manifest', manifest('seen'));
    await all((url) => until(async () => (await call(url, { path: '/api/v1/agents/seen' })).status === 200));
    await put(urlOf(1), '/api/v1/agents/seen/manifest', manifest('seen', 2));
    await all((url) => until(async () => (await body(url, '/api/v1/agents/seen')).manifest_version === 2));
    const stale = await put(urlOf(2), '/api/v1/agents/seen/manifest', manifest('seen', 1));
    expect(stale).toMatchObject({ status: 409, body: { code: 'MANIFEST_VERSION_STALE' } });
  });

  test(`answer ${INTENTS} intents alike, with the same capability and confidence at the same version of the catalogue`, async () => {
    const documents = templatedManifests(150);
    // Each by another one, all at once: what comes first is chance.
    const published = await Promise.all(
      documents.map((document, index) =>
        put(urlOf(index % 3), `/api/v1/agents/${document.agent_name}/manifest`, document),
      ),
    );
    for (const { status, body: said } of published) expect(status, JSON.stringify(said)).toBeLessThan(300);
    const newest = Math.max(...published.map(({ body: said }) => Number(said.catalogue_version)));
    await all((url) =>
      until(async () => Number((await route(url, { intent: 'x' })).body.catalogue_version) >= newest),
    );
    const intents = [
      ...documents.flatMap(({ capabilities }) => capabilities.map(({ name }) => `please ${name}`)),
      ...freshTexts(INTENTS),
    ].slice(0, INTENTS);
    const answersOf = async (url: string) => {
      const answers: unknown[] = [];
      for (const intent of intents) {
        const { body: said } = await route(url, { intent });
        const { outcome, target_agent, capability_id, confidence, catalogue_version, candidates } = said;
        answers.push({
          intent,
          outcome,
          target_agent,
          capability_id,
          confidence,
          catalogue_version,
          candidates,
        });
      }
      return answers;
    };
    const [first, ...others] = await all(answersOf);
    expect(first).toHaveLength(INTENTS);
    for (const answers of others) expect(answers).toEqual(first);
  }, 300_000);

  test('an agent that registers with one is reached by all, and drained by another', async () => {
    await kitAgent(urlOf(0), 'kit-worker', 'a');
    await all((url) =>
      until(async () => {
        const { body: said } = await route(url, { agent_name: 'kit-worker', capability_id: 'work' });
        return said.outcome === 'routed';
      }),
    );
    const drained = await call(urlOf(1), {
      method: 'POST',
      path: '/api/v1/agents/kit-worker/instances/a/drain',
    });
    expect(drained.status).toBe(200);
    await all((url) =>
      until(async () => {
        const { body: said } = await route(url, { agent_name: 'kit-worker', capability_id: 'work' });
        return said.outcome === 'unreachable';
      }),
    );
  });

  test('a session revision counts once, wherever it is written', async () => {
    const path = '/api/v1/sessions/shared';
    const written = await all((url) => put(url, path, { kind: 'task', summary: url }, { 'if-match': '"0"' }));
    expect(written.map(({ status }) => status).toSorted()).toEqual([expect.any(Number), 412, 412]);
    const sessions = await all((url) => body(url, path));
    for (const session of sessions) expect(session).toEqual({ ...sessions[0], revision: 1 });
  });

  test('a key is carried out once and has one answer, wherever it comes', async () => {
    await kitAgent(urlOf(0), 'keyed-worker', 'a');
    await all((url) =>
      until(async () => {
        const { body: said } = await route(url, { agent_name: 'keyed-worker', capability_id: 'work' });
        return said.outcome === 'routed';
      }),
    );
    const request = {
      ...{ agent_name: 'keyed-worker', capability_id: 'work', request_id: 'same-key' },
      payload: { waitMs: 300 },
    };
    const answers = await all((url) =>
      call(url, { method: 'POST', path: '/api/v1/dispatch', body: request }),
    );
    for (const { body: said } of answers) expect(said).toEqual(answers[0]?.body);
    expect(answers[0]?.body).toMatchObject({ state: 'completed', result: 'done' });
    const other = { ...request, payload: { waitMs: 1 } };
    const refused = await all((url) => call(url, { method: 'POST', path: '/api/v1/dispatch', body: other }));
    for (const each of refused)
      expect(each).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } });
  });

  test('a ticket that one opens is settled by another, once', async () => {
    const opened = await route(urlOf(0), { intent: 'qwx zzyp flarn, whatever that may mean' });
    const path = `/api/v1/tickets/${opened.body.ticket_id}`;
    const settled = await all((url) =>
      call(url, { method: 'POST', path: `${path}/resolve`, body: { by: url } }),
    );
    expect(settled.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const [first, ...others] = await all((url) => body(url, path));
    expect(first?.state).toBe('resolved');
    for (const ticket of others) expect(ticket).toEqual(first);
  });

  test('route on while Redis is away, say so, refuse what needs it, and are whole after its return', async () => {
    await put(urlOf(0), '/api/v1/agents/steady/manifest', {
      ...manifest('steady'),
      instances: [{ instance_id: 'a', address: urlOf(0) }],
      health_endpoint: '/healthz',
    });
    const intent = 'do steady for me';
    await all((url) => until(async () => (await route(url, { intent })).body.outcome === 'routed'));
    replicas.redis.pause();
    try {
      await all((url) =>
        until(async () => {
          const health = (await body(url, '/health')) as { store?: { state: string } };
          await put(url, '/api/v1/agents/late/manifest', manifest('late'));
          return health.store?.state === 'failed';
        }),
      );
      const routed = await all((url) => route(url, { intent, session_id: 'unread' }));
      for (const { status, body: said, headers } of routed) {
        expect(status).toBe(200);
        expect(said).toMatchObject({ outcome: 'routed', target_agent: 'steady', session_unavailable: true });
        expect(headers.get('x-reach-degraded')).toBe('store');
      }
      const refused = await all((url) => put(url, '/api/v1/agents/late/manifest', manifest('late')));
      for (const { status, body: said, headers } of refused) {
        expect([status, said.code]).toEqual([503, 'STORE_UNAVAILABLE']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      replicas.redis.resume();
    }
    const tried = await Promise.all(
      replicas.urls.map((url, index) =>
        new AnyReplica([url], () => 0).until(
          {
            ...{ method: 'PUT', path: `/api/v1/agents/back-${index}/manifest` },
            body: manifest(`back-${index}`),
          },
          WHOLE_AGAIN_MS,
        ),
      ),
    );
    for (const { status } of tried) expect(status).toBeLessThan(300);
    await all((url) =>
      until(async () => (await body(url, '/health')).status !== 'failed' && (await sees(url, 'back-2'))),
    );
  });

  test('are filled again by the kits where Redis came back empty', async () => {
    await kitAgent(urlOf(1), 'comes-back', 'a');
    await all((url) => until(() => sees(url, 'comes-back')));
    await replicas.redis.forget();
    await all((url) => until(async () => !(await sees(url, 'steady')), 60_000));
    await all((url) =>
      until(async () => {
        const { body: said } = await route(url, { agent_name: 'comes-back', capability_id: 'work' });
        return said.outcome === 'routed';
      }, 60_000),
    );
  }, 180_000);

  async function sees(url: string, agentName: string): Promise<boolean> {
    return (await call(url, { path: `/api/v1/agents/${agentName}` })).status === 200;
  }
});
