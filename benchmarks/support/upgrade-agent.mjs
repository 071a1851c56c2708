// An agent of a version's kit: `node upgrade-agent.mjs KIT REACH_URL AGENT INSTANCE`, KIT being the URL of the kit's
// entry. It does what a kit can do: answers at once, by pieces, later, and when it is told to stop.
import { setTimeout as sleep } from 'node:timers/promises';

const [, , kit, reach, agentName, instanceId] = process.argv;
const { serveAgent } = await import(kit);
const logger = { info() {}, warn() {}, error: console.error };

const capability = {
  id: 'count',
  name: `Count for ${agentName}`,
  examples: [`count for ${agentName}`],
  idempotent: true,
  deadline_ms: 30_000,
};

const agent = await serveAgent({
  manifest: { agent_name: agentName, manifest_version: 1, capabilities: [capability] },
  handlers: {
    async count({ payload, progress, delta, acknowledge, signal, session }) {
      const { how } = payload ?? {};
      if (how === 'later') acknowledge();
      if (how === 'stream') {
        progress({ done: 1 });
        delta('seven');
      }
      if (how === 'forever') await sleep(20_000, undefined, { signal });
      return {
        result: { count: 7, instance: instanceId, rounds: session?.rounds?.length ?? null },
        reply: 'seven',
      };
    },
  },
  reach,
  port: 0,
  instanceId,
  logger,
});
process.stdout.write(`${agent.address}\n`);
