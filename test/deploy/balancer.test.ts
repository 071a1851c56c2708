import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReachClient, serveAgent } from 'agent-reach-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Balancer, faultsOfConfig, startBalancer } from '../../benchmarks/support/balancer.js';
import { freePort } from '../support/free-port.js';
import { describeWithBalancer } from '../support/haproxy.js';
import { type ServiceProcess, serviceProcess } from '../support/service-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const INTENT = 'how many apples are in stock';
const capability = { id: 'count', name: 'Count what is in stock', examples: [INTENT] };
/** Callers at once, each with one call after the other. */
const CALLERS = 4;

/** As `roll.sh` waits: nobody is told when calls on their way have begun. */
const DRAIN_MS = 2_000;
/** How exactly it is known when a replica started. */
const ROUNDING_MS = 200;

/** When the replica started that answers. */
async function startOf(address: string): Promise<number> {
  const { uptime_ms } = (await (await fetch(`${address}/health`)).json()) as { uptime_ms: number };
  return Date.now() - uptime_ms;
}

describeWithBalancer('behind the balancer', () => {
  let before: Balancer;
  let url: string;
  let ports: readonly number[];
  let manifests: string;
  const replicas: ServiceProcess[] = [];
  const endings: (() => unknown)[] = [];
  /** Inside of hooks and tests, where `afterAll` says nothing and does nothing. */
  const whenOver = (end: () => unknown) => void endings.push(end);
  /** Called by the agent while it works on an intent that asks for it. */
  let whileWorking = async () => {};

  const startReplica = async (place: number) => {
    const args = [
      '--port',
      String(ports[place]),
      '--manifests',
      manifests,
      '--data',
      join(manifests, '..', `data-${place}`),
    ];
    replicas[place] = await serviceProcess(args, whenOver);
  };

  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  beforeAll(async () => {
    const folder = await temporaryFolder(whenOver);
    const agent = await serveAgent({
      manifest: { agent_name: 'stock-agent', capabilities: [capability] },
      handlers: {
        async count({ payload, progress }) {
          if (payload === null) return 7;
          progress('counting');
          await whileWorking();
          return 7;
        },
      },
      port: 0,
    });
    whenOver(() => agent.close());
    manifests = join(folder, 'manifests');
    await mkdir(manifests);
    const document = {
      agent_name: 'stock-agent',
      capabilities: [capability],
      instances: [{ instance_id: 'one', address: agent.address }],
    };
    await writeFile(join(manifests, 'stock-agent.json'), JSON.stringify(document));
    ports = [await freePort(), await freePort()];
    // One after the other: they are told apart by when they started.
    await startReplica(0);
    await startReplica(1);
    before = await startBalancer(ports.map((port) => `127.0.0.1:${port}`));
    whenOver(() => before.stop());
    url = before.url;
  });

  test('nothing is wrong with its configuration', async () => {
    expect(await faultsOfConfig()).toBe('');
  });

  test('events come as they happen', async () => {
    let goOn = () => {};
    const seen = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    whileWorking = () => seen;
    const events: string[] = [];
    for await (const { event } of new ReachClient({ endpoint: url }).dispatchStream(INTENT, {
      fruit: 'apples',
    })) {
      events.push(event);
      // The agent does not go on before its progress has come through.
      if (event === 'progress') goOn();
    }
    expect(events).toContain('progress');
    expect(events.at(-1)).toBe('answer');
  });

  test('both replicas are asked', async () => {
    for (const replica of replicas) {
      const started = await startOf(replica.url);
      await until(async () => Math.abs((await startOf(url)) - started) < ROUNDING_MS);
    }
  });

  test('no call fails while one replica after the other is drained, ends, and another takes its place', {
    timeout: 240_000,
  }, async () => {
    const reach = new ReachClient({ endpoint: url });
    const failed: string[] = [];
    let [isOver, answered] = [false, 0];
    const ask = async (caller: number) => {
      for (let call = 0; !isOver; call += 1) {
        const key = caller % 2 === 0 ? {} : { requestId: `${caller}-${call}` };
        const state = await reach.dispatch(INTENT, undefined, key).then((answer) => answer.state, String);
        if (state === 'completed') answered += 1;
        else failed.push(state);
      }
    };
    const asking = Array.from({ length: CALLERS }, (_, caller) => ask(caller));
    for (const place of [0, 1]) {
      await before.set(place, 'drain');
      await sleep(DRAIN_MS);
      expect(await replicas[place]?.end('SIGTERM')).toBe(0);
      await startReplica(place);
      await before.set(place, 'ready');
      const started = await startOf(replicas[place]?.url ?? '');
      await until(async () => Math.abs((await startOf(url)) - started) < ROUNDING_MS);
    }
    isOver = true;
    await Promise.all(asking);
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(200);
  });
});
