// An agent of the kit in a process of its own: `node kit-agent.mjs REACH_URL AGENT INSTANCE`. Its one capability blocks
// the thread for as many milliseconds as it is told to, or waits for them, at once or `later`. It prints what it tells
// people.
import { setTimeout as sleep } from 'node:timers/promises';
import { serveAgent } from 'agent-reach-sdk';

const [, , reach, agentName, instanceId] = process.argv;
const capability = { id: 'work', name: 'Work', idempotent: true, deadline_ms: 60_000 };
const tell = (line) => process.stdout.write(`${line}\n`);

const agent = await serveAgent({
  manifest: { agent_name: agentName, manifest_version: 1, capabilities: [capability] },
  handlers: {
    async work({ payload: { blockMs, waitMs, later }, acknowledge }) {
      if (later) acknowledge();
      const end = performance.now() + (blockMs ?? 0);
      while (performance.now() < end);
      await sleep(waitMs ?? 0);
      return 'done';
    },
  },
  reach,
  port: 0,
  instanceId,
  logger: { info: tell, warn: console.error, error: console.error },
});
tell(`listening ${agent.address}`);
