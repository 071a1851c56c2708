import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import { percentile } from '../src/evaluation/percentile.js';
import { serve } from './support/built-app.js';
import type { Bench } from './support/figure.js';
import { freshTexts } from './support/fresh-texts.js';
import { HttpLoad } from './support/http-load.js';

const MANIFESTS = fileURLToPath(new URL('../manifests', import.meta.url));
const INTENTS = 50;
const CONNECTIONS = 16;
const BLOCK = 2_000;
const WARM_UP = 3;
const ROUNDS = 20;
const PATH = '/api/v1/route';

/** A server that reads the same bodies and answers each with this one: the least that HTTP and JSON cost. */
async function startBareServer(answer: unknown) {
  const app = Fastify();
  app.post(PATH, async () => answer);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

const portOf = (address: string) => Number(new URL(address).port);

export const bench: Bench = {
  name: 'route-http',
  title: `POST ${PATH} with known candidates over ${CONNECTIONS} connections, against a bare fastify server in the same process that parses the same bodies and answers in the same size.`,
  async run() {
    const service = await serve({ manifests: MANIFESTS, data: null, port: 0 });
    const bodies = freshTexts(INTENTS).map((intent) => JSON.stringify({ intent }));
    const sample = await fetch(service.address + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bodies[0] ?? '',
    });
    const bareServer = await startBareServer(await sample.json());
    const load = new HttpLoad();
    try {
      const rateOf = (address: string) =>
        load.rate({ port: portOf(address), path: PATH, bodies, connections: CONNECTIONS, requests: BLOCK });
      const measured: number[] = [];
      const bare: number[] = [];
      for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
        measured.push(await rateOf(service.address));
        bare.push(await rateOf(bareServer.listeningOrigin));
      }
      const median = (rates: readonly number[]) =>
        percentile(
          rates.slice(WARM_UP).sort((a, b) => a - b),
          0.5,
        );
      const [rate, ceiling] = [median(measured), median(bare)];
      return [
        {
          name: 'share of the bare rate',
          value: rate / ceiling,
          unit: 'x',
          better: 'higher',
          goal: 0.4,
          ceiling: 1,
        },
        { name: 'rate, p50', value: rate, unit: '/s', better: 'higher', goal: null, ceiling },
      ];
    } finally {
      await load.close();
      await bareServer.close();
      await service.close();
    }
  },
};
