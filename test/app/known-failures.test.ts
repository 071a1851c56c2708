import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach, type ReachOptions, serve } from '../../src/app.js';
import { freePort } from '../support/free-port.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const MANIFESTS = fileURLToPath(new URL('../../manifests/', import.meta.url));

async function opened(options: ReachOptions): Promise<Reach> {
  const reach = await createReach({ logLevel: 'silent', ...options });
  onTestFinished(() => reach.close());
  return reach;
}

const garage = (version: number, examples: readonly string[]) => ({
  agent_name: 'garage',
  manifest_version: version,
  capabilities: [
    { id: 'reserve', name: 'Parking space', description: 'Reserves a space in the garage.', examples },
  ],
});

/** Everybody who comes into question for a sentence, best first. */
async function candidatesOf(reach: Reach, intent: string): Promise<string[]> {
  const { candidates } = await reach.route({ intent, threshold: 0, topK: 64 });
  return candidates.map(({ agentName, capabilityId }) => `${agentName}/${capabilityId}`);
}

/** What systems of this kind are known to do wrong. */
describe('it does not happen that', () => {
  test('a restart makes duplicates', async () => {
    const data = await temporaryFolder();
    const manifests = join(data, 'manifests');
    await cp(MANIFESTS, manifests, { recursive: true });
    const seen: unknown[] = [];
    for (let start = 0; start < 3; start += 1) {
      const reach = await opened({ data, manifests });
      if (start === 0) await reach.publish(garage(1, ['I need a parking space']));
      const { catalogue, vectorIndex } = reach.health();
      const candidates = await candidatesOf(reach, 'what is my order status');
      expect(new Set(candidates).size).toBe(candidates.length);
      const { version, agents, capabilities } = catalogue;
      seen.push({ version, agents, capabilities, vectors: vectorIndex.vectors, candidates });
      await reach.close();
    }
    expect(seen).toEqual(seen.map(() => seen[0]));
  });

  test('a removed example still matches', async () => {
    const reach = await opened({ data: null });
    const intent = '明天上午帮我把车停在公司楼下';
    await reach.publish(garage(1, ['I need a parking space', intent]));
    const before = await reach.route({ intent, explain: true });
    expect(before).toMatchObject({ targetAgent: 'garage', confidence: 1 });
    await reach.publish(garage(2, ['I need a parking space']));
    const after = await reach.route({ intent, threshold: 0, explain: true });
    expect(after.confidence).toBeLessThan(1);
    expect(after.candidates[0]?.similarity).toBeLessThan(before.candidates[0]?.similarity ?? 0);
  });

  test('an entry cannot be found after others were evicted and it took their slot', async () => {
    const reach = await opened({ data: null });
    const words = ['parcels', 'invoices', 'holidays', 'budgets', 'contracts', 'meals', 'trains', 'keys'];
    const agent = (round: number) => ({
      agent_name: `agent-${round % 3}`,
      manifest_version: round + 1,
      capabilities: [
        { id: `c${round}`, name: `Counts ${words[round % words.length]} in room ${round}` },
        { id: `d${round}`, name: `Paints ${words[(round + 3) % words.length]} for house ${round}` },
      ],
    });
    for (let round = 0; round < 40; round += 1) {
      await reach.publish(agent(round));
      if (round % 5 === 4) await reach.remove(`agent-${(round - 1) % 3}`);
      const [asked] = agent(round).capabilities;
      expect((await candidatesOf(reach, asked?.name ?? ''))[0]).toBe(`agent-${round % 3}/c${round}`);
    }
    const left = reach
      .agents()
      .agents.flatMap(({ agentName, capabilities }) => capabilities.map(({ id }) => `${agentName}/${id}`));
    expect((await candidatesOf(reach, 'rooms and houses')).sort()).toEqual(left.sort());
  });

  test('the index is not ready in the first second, and says nothing of it', async () => {
    const data = await temporaryFolder();
    const port = await freePort();
    const starting = serve({ port, data, manifests: MANIFESTS, logLevel: 'silent' });
    onTestFinished(async () => (await starting).close());
    const answers = new Map<unknown, number>();
    const ask = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/route`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ intent: 'where is my order 1042', threshold: 0 }),
      }).catch(() => undefined);
      if (answer === undefined) return false;
      const body = (await answer.json()) as { target_agent?: string; code?: string };
      const told = answer.status === 200 ? body.target_agent : body.code;
      answers.set(told, (answers.get(told) ?? 0) + 1);
      return answer.status === 200;
    };
    await expect.poll(ask, { timeout: 60_000, interval: 5 }).toBe(true);
    for (let more = 0; more < 20; more += 1) await ask();
    expect([...answers.keys()]).toEqual(['NOT_READY', 'orders-agent']);
    expect(answers.get('orders-agent')).toBe(21);
  });

  test('a vector is stored as null, or another than was computed, while the log says saved', async () => {
    const data = await temporaryFolder();
    const first = await opened({ data, englishModel: false });
    await first.publish(garage(1, ['I need a parking space', '帮我预订一个停车位']));
    const intent = 'somewhere to park';
    const before = await first.route({ intent, threshold: 0, explain: true });
    expect(first.health().store.state).toBe('ok');
    await first.close();

    const file = new DatabaseSync(join(data, 'agent-reach.db'));
    const rows = file.prepare('SELECT vector FROM vectors').all();
    file.close();
    // Its name, its description, both as one, and two examples.
    expect(rows).toHaveLength(5);
    for (const { vector } of rows) {
      const numbers = new Float32Array(new Uint8Array(vector as Uint8Array).buffer);
      expect(numbers).toHaveLength(384);
      expect(numbers.reduce((sum, number) => sum + number * number, 0)).toBeCloseTo(1, 3);
    }

    const second = await opened({ data, englishModel: false });
    const after = await second.route({ intent, threshold: 0, explain: true });
    expect(after.candidates).toEqual(before.candidates);
  });

  test('everything has a confidence of 1 after the fallback has been taken', async () => {
    // Nobody is there: where this takes long, probes would find out meanwhile.
    const reach = await opened({
      data: null,
      manifests: MANIFESTS,
      fallbackAgent: 'chat-agent',
      probes: false,
    });
    const strange = ['who wrote Hamlet', '珠穆朗玛峰有多高', 'how many planets are there'];
    const known = 'please tell me when my refund will arrive';
    const before = await reach.route({ intent: known });
    for (const intent of [...strange, ...strange]) {
      const { outcome, confidence, threshold, candidates } = await reach.route({ intent });
      expect(outcome).toBe('fallback');
      expect(confidence).toBeLessThan(threshold);
      for (const candidate of candidates) expect(candidate.confidence).toBeLessThanOrEqual(confidence);
    }
    const after = await reach.route({ intent: known });
    expect(after.confidence).toBe(before.confidence);
    expect(after.candidates).toEqual(before.candidates);
  });

  test('a score is the higher the better on one path and the lower the better on another', async () => {
    const reach = await opened({ data: null, manifests: MANIFESTS });
    const intent = 'which invoices are overdue by now';
    const asked = { intent, threshold: 0, topK: 64 };
    const paths = {
      anew: asked,
      'a second time': asked,
      explained: { ...asked, explain: true },
      'with an empty payload': { ...asked, payload: {} },
      'with a payload': { ...asked, payload: { customer: 'Nordwind' } },
      'within one agent': { ...asked, filter: { agents: ['invoices-agent'] } },
    };
    for (const [path, request] of Object.entries(paths)) {
      const { candidates, capabilityId, confidence } = await reach.route(request);
      const [best, ...others] = candidates;
      expect(capabilityId, path).toBe('overdue-invoices');
      expect(best, path).toMatchObject({ capabilityId: 'overdue-invoices', confidence });
      for (const other of others) {
        expect(other.relevance, path).toBeLessThanOrEqual(best?.relevance ?? 0);
        expect(other.confidence, path).toBeLessThanOrEqual(confidence);
        expect(other.score, path).toBeLessThanOrEqual(best?.score ?? 0);
        expect(other.similarity, path).toBeLessThanOrEqual(best?.similarity ?? 0);
      }
    }
  });
});
