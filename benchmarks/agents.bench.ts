import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type SampleAgentPlace, startSampleAgents } from '../src/demo/sample-agents.js';
import { SAMPLE_PROGRAMS } from '../src/demo/sample-programs.js';
import { percentile } from '../src/evaluation/percentile.js';
import type { Bench } from './support/figure.js';
import { freePort } from './support/service-process.js';

const ROUNDS = 10;
const NAMES = [...SAMPLE_PROGRAMS.keys()];

/** Until all listen on ports of their own. */
async function agentsStartMs(): Promise<number> {
  const places: SampleAgentPlace[] = [];
  for (const agentName of NAMES) {
    const manifest = { agent_name: agentName, capabilities: [] };
    const address = `http://127.0.0.1:${await freePort()}`;
    places.push({ agentName, manifest, instanceId: agentName, address });
  }
  const startedAt = performance.now();
  const agents = await startSampleAgents(places, {
    onDeath({ agentName, detail }) {
      throw new Error(`${agentName} ended by itself: ${detail}`);
    },
  });
  const startMs = performance.now() - startedAt;
  await agents.close();
  return startMs;
}

/** The least that as many processes can take: Node, which says that it is there. */
async function bareStartMs(): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    NAMES.map(async () => {
      const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
      await once(child, 'exit');
    }),
  );
  return performance.now() - startedAt;
}

export const bench: Bench = {
  name: 'agents',
  title: 'Start of the sample agents, all at once, each a process of its own.',
  async run() {
    const agents: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      agents.push(await agentsStartMs());
      bare.push(await bareStartMs());
    }
    const at = (times: number[], share: number) =>
      percentile(
        times.toSorted((a, b) => a - b),
        share,
      );
    const figure = { unit: 'ms', better: 'lower' } as const;
    return [
      {
        ...figure,
        name: `all ${NAMES.length}, p50`,
        value: at(agents, 0.5),
        goal: 2_000,
        ceiling: at(bare, 0.5),
      },
      {
        ...figure,
        name: `all ${NAMES.length}, slowest`,
        value: at(agents, 1),
        goal: null,
        ceiling: at(bare, 1),
      },
    ];
  },
};
