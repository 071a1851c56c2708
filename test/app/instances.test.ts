import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach, type ReachOptions, serve } from '../../src/app.js';
import { freePort } from '../support/free-port.js';
import { httpServer } from '../support/local-servers.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const QUIET: ReachOptions = { logLevel: 'silent', englishModel: false, probes: false };
/** Of a gray release, before it and after. */
const CALLS = 2_000;
const INTENT = 'I need a parking space for tomorrow';

const parking = (instances: object[] = []) => ({
  agent_name: 'parking-agent',
  manifest_version: 1,
  capabilities: [{ id: 'reserve', name: 'Reserve a parking space', examples: [INTENT], idempotent: true }],
  instances,
});

describe('instances that register', () => {
  let reach: Reach;
  beforeAll(async () => {
    reach = await createReach(QUIET);
    await reach.publish(parking());
  });
  afterAll(() => reach.close());

  const leave = (instanceId: string) => reach.leave('parking-agent', instanceId);

  /** Registers for the running test. */
  async function register(instanceId: string, address: string, weight = 100) {
    const answer = await reach.register('parking-agent', instanceId, { address, weight });
    onTestFinished(async () => void (await leave(instanceId).catch(() => {})));
    return answer;
  }

  test('take work when the answer comes, and none once they have drained or left', async () => {
    expect(await reach.route(INTENT)).toMatchObject({ outcome: 'unreachable' });
    const { addrVersion } = await register('a', 'http://10.0.0.1');
    const routed = { outcome: 'routed', instanceId: 'a', targetAddress: 'http://10.0.0.1', addrVersion };
    expect(await reach.route(INTENT)).toMatchObject(routed);
    expect(await reach.drain('parking-agent', 'a')).toMatchObject({ state: 'draining', draining: true });
    expect(await reach.route(INTENT)).toMatchObject({ outcome: 'unreachable' });
    await reach.register('parking-agent', 'a', { address: 'http://10.0.0.1', draining: false });
    expect(await reach.route(INTENT)).toMatchObject(routed);
    reach.heartbeat('parking-agent', 'a', { state: 'paused' });
    expect(await reach.route(INTENT)).toMatchObject({ outcome: 'unreachable' });
    reach.heartbeat('parking-agent', 'a', { state: 'up' });
    expect(await reach.route(INTENT)).toMatchObject(routed);
    await leave('a');
    expect(await reach.route(INTENT)).toMatchObject({ outcome: 'unreachable' });
  });

  test('no decision after the call that changed an address hands out the old one, cached or not', async () => {
    const moveTo = (address: string, incarnation: number) =>
      reach.register('parking-agent', 'a', { address, incarnation });
    let { addrVersion: least } = await moveTo('http://10.0.0.1', 1);
    onTestFinished(async () => void (await leave('a')));
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const asked = { cached: 0, fresh: 0 };
    // Whoever asks all the time, in words that are cached and in new ones.
    const askAllTheTime = async (words: keyof typeof asked) => {
      while (!isOver) {
        const atLeast = least;
        const intent = words === 'cached' ? INTENT : `${INTENT}, number ${asked.fresh}`;
        const { addrVersion } = await reach.route({ intent, threshold: 0 });
        expect(addrVersion).toBeGreaterThanOrEqual(atLeast);
        asked[words] += 1;
        // A cached answer waits for nothing, and would let nobody else come to a turn.
        await setImmediate();
      }
    };
    const asking = Promise.all([askAllTheTime('cached'), askAllTheTime('fresh')]);
    for (let i = 2; asked.cached < 50 || asked.fresh < 10; i++) {
      const address = `http://10.0.0.1:${1_000 + i}`;
      const { addrVersion } = await moveTo(address, i);
      expect(addrVersion).toBeGreaterThan(least);
      least = addrVersion;
      expect(await reach.route(INTENT)).toMatchObject({ targetAddress: address, addrVersion });
      // Lets the model answer those who ask in new words.
      await sleep(5);
    }
    isOver = true;
    await asking;
  });

  test('a gray release sends 5 % to a new version and back without an error', async () => {
    const answered = { old: 0, new: 0 };
    const agent = async (version: 'old' | 'new') => {
      const { url } = await httpServer((request, response) => {
        request.resume().on('end', () => {
          answered[version] += 1;
          response.setHeader('content-type', 'application/json').end('{"result": {}}');
        });
      });
      return url.href;
    };
    const [oldAddress, newAddress] = [await agent('old'), await agent('new')];
    const dispatchMany = async () => {
      Object.assign(answered, { old: 0, new: 0 });
      for (let i = 0; i < CALLS; i++) {
        const { state } = await reach.dispatch({ capabilityId: 'parking-agent/reserve', payload: {} });
        expect(state).toBe('completed');
      }
      return { ...answered };
    };
    await register('old', oldAddress, 95);
    await register('new', newAddress, 5);
    const gray = await dispatchMany();
    // Five standard deviations of as many throws of a die.
    const tolerance = 5 * Math.sqrt(CALLS * 0.05 * 0.95);
    expect(Math.abs(gray.new - 0.05 * CALLS)).toBeLessThan(tolerance);
    await register('new', newAddress, 0);
    expect(await dispatchMany()).toEqual({ old: CALLS, new: 0 });
  }, 120_000);

  test.each([
    ['ftp://10.0.0.1', /scheme ftp/],
    ['http://user:secret@10.0.0.1', /user name or password/],
    ['http://169.254.169.254', /reserved address 169\.254\.169\.254/],
    ['http://[fd00:ec2::254]/', /reserved address/],
    ['http://0x7f.1?to=me', /query/],
    ['nonsense', /not an address/],
  ])('at %s are refused with the reason', async (address, reason) => {
    for (const field of ['address', 'healthAddress']) {
      const registration = { address: 'http://10.0.0.1', [field]: address };
      const error = await reach.register('parking-agent', 'x', registration).catch((thrown) => thrown);
      expect(error).toMatchObject({
        code: 'ADDRESS_FORBIDDEN',
        message: expect.stringMatching(reason),
        errors: [expect.objectContaining({ pointer: field === 'address' ? '/address' : '/health_address' })],
      });
      expect(error.message).not.toContain('secret');
    }
  });

  test('on a loopback address are taken from this machine, and refused with the reason from another one', async () => {
    const loopback = { address: 'http://localhost:9595' };
    for (const remoteAddress of ['127.0.0.1', '::ffff:127.0.0.1', '::1']) {
      await reach.register('parking-agent', 'a', loopback, { remoteAddress });
    }
    // Whoever edits it may sit elsewhere.
    const elsewhere = { remoteAddress: '203.0.113.9' };
    await reach.register('parking-agent', 'a', { ...loopback, weight: 5 }, elsewhere);
    await leave('a');
    const refused = reach.register('parking-agent', 'a', loopback, elsewhere);
    await expect(refused).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      message: expect.stringMatching(/203\.0\.113\.9 is another one.*loopback address localhost/),
    });
    await reach.register('parking-agent', 'a', { address: 'http://203.0.113.9' }, elsewhere);
    await leave('a');
  });

  test.each([
    ['Bad Name', 'a', '/agent_name'],
    ['parking-agent', ' a', '/instance_id'],
    ['parking-agent', 'nul \u0000', '/instance_id'],
    ['parking-agent', 'x'.repeat(129), '/instance_id'],
  ])('as %s/%s are refused', async (agentName, instanceId, pointer) => {
    const refused = reach.register(agentName, instanceId, { address: 'http://10.0.0.1' });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [expect.objectContaining({ pointer })],
    });
  });

  test('are listed for an agent without a manifest too, and an agent without either is unknown', async () => {
    await reach.register('new-agent', 'a', { address: 'http://10.0.0.1' });
    expect(reach.instances('new-agent').instances).toMatchObject([{ instanceId: 'a', state: 'up' }]);
    await reach.leave('new-agent', 'a');
    expect(() => reach.instances('new-agent')).toThrow(expect.objectContaining({ code: 'AGENT_UNKNOWN' }));
    expect(reach.instances('parking-agent').instances).toEqual([]);
  });
});

test('no runtime change is lost at a restart: weights, drains and versions of addresses are there again', async () => {
  const options = { ...QUIET, data: await temporaryFolder() };
  const first = await createReach(options);
  await first.publish(parking([{ instance_id: 'static', address: 'http://10.0.0.9' }]));
  await first.register('parking-agent', 'a', { address: 'http://10.0.0.1' });
  await first.register('parking-agent', 'b', { address: 'http://10.0.0.2', labels: { env: 'prod' } });
  await first.register('parking-agent', 'gone', { address: 'http://10.0.0.3' });
  await first.register('parking-agent', 'static', { address: 'http://10.0.0.4' });
  await first.register('parking-agent', 'a', { address: 'http://10.0.0.1', weight: 5 });
  await first.drain('parking-agent', 'b');
  await first.leave('parking-agent', 'gone');
  const before = first.instances('parking-agent').instances;
  await first.close();

  const second = await createReach(options);
  onTestFinished(() => second.close());
  const after = second.instances('parking-agent').instances;
  const lasting = (instances: typeof before) =>
    instances
      .map(({ instanceId, address, addrVersion, weight, labels, draining, state, origin }) => ({
        ...{ instanceId, address, addrVersion, weight, labels, draining, state, origin },
      }))
      .toSorted((x, y) => x.instanceId.localeCompare(y.instanceId));
  expect(lasting(after)).toEqual(lasting(before));
  expect(lasting(after)).toMatchObject([
    { instanceId: 'a', weight: 5, state: 'up' },
    { instanceId: 'b', state: 'draining', labels: { env: 'prod' } },
    { instanceId: 'static', origin: 'registered', address: 'http://10.0.0.4' },
  ]);
  expect(after.map(({ leaseMs }) => leaseMs ?? 0).every((leaseMs) => leaseMs > 30_000)).toBe(true);
  // Numbers go on from where they were, also those of the catalogue.
  const moved = await second.register('parking-agent', 'new', { address: 'http://10.0.0.7' });
  expect(moved.addrVersion).toBeGreaterThan(Math.max(...before.map(({ addrVersion }) => addrVersion)));
  const { catalogueVersion } = await second.publish({ ...parking(), manifest_version: 2 });
  expect(catalogueVersion).toBeGreaterThan(moved.addrVersion);
}, 120_000);

test('instances beat while the catalogue is still being loaded', async () => {
  const options = { ...QUIET, data: await temporaryFolder() };
  const first = await createReach(options);
  await first.register('parking-agent', 'a', { address: 'http://10.0.0.1' });
  await first.close();

  const port = await freePort();
  const starting = serve({ ...options, manifests: null, port });
  onTestFinished(async () => (await starting).close());
  const base = `http://127.0.0.1:${port}`;
  const beat = () =>
    fetch(`${base}/api/v1/agents/parking-agent/instances/a/heartbeat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }).catch(() => undefined);
  let answer = await beat();
  // First the door is not open yet; then, for a moment, what is stored is not loaded.
  while (answer === undefined || answer.status === 503) answer = await beat();
  expect(answer.status).toBe(200);
  expect((await fetch(`${base}/readyz`)).status).toBe(503);
});
