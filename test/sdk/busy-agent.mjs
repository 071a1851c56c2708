// An agent in a process of its own: `node busy-agent.mjs REACH_URL`. Its one capability blocks the thread for as many
// milliseconds as it is told to, or waits for them.
import { setTimeout as sleep } from 'node:timers/promises';
import { serveAgent } from 'agent-reach-sdk';

const agent = await serveAgent({
  manifest: { agent_name: 'busy-agent', manifest_version: 1, capabilities: [{ id: 'work', name: 'Work' }] },
  handlers: {
    async work({ payload: { blockMs, waitMs } }) {
      const end = performance.now() + (blockMs ?? 0);
      while (performance.now() < end);
      await sleep(waitMs ?? 0);
      return 'done';
    },
  },
  reach: process.argv[2],
  port: 0,
  instanceId: 'busy-1',
  logger: { info() {}, warn: console.error, error: console.error },
});
process.stdout.write(`listening ${agent.address}\n`);
