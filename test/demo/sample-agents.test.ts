import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { builtEntry } from '../../src/built-entry.js';
import {
  type SampleAgentDeath,
  type SampleAgentPlace,
  type SampleAgents,
  startSampleAgents,
} from '../../src/demo/sample-agents.js';
import { SAMPLE_PROGRAMS } from '../../src/demo/sample-programs.js';
import { contractService } from '../sdk/contract-service.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

const NAMES = [...SAMPLE_PROGRAMS.keys()];
const noDeath = (death: SampleAgentDeath) => {
  throw new Error(`${death.agentName} died: ${death.detail}`);
};

let agents: SampleAgents | undefined;
afterEach(async () => {
  await agents?.close();
  agents = undefined;
});

const placeAt = (agentName: string, address: string): SampleAgentPlace => ({
  agentName,
  manifest: { agent_name: agentName, capabilities: [] },
  instanceId: `${agentName}-1`,
  address,
});

async function place(agentName: string): Promise<SampleAgentPlace> {
  return placeAt(agentName, `http://127.0.0.1:${await freePort()}`);
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('all fifteen start at the addresses of their manifests, answer, and end', async () => {
  expect(NAMES).toHaveLength(15);
  const places = await Promise.all(NAMES.map(place));
  agents = await startSampleAgents(places, { onDeath: noDeath });
  const answers = await Promise.all(places.map(({ address }) => fetch(`${address}/healthz`)));
  expect(answers.map(({ status }) => status)).toEqual(NAMES.map(() => 200));
  const pids = agents.running.map(({ pid }) => pid);
  expect(new Set(pids).size).toBe(NAMES.length);
  await agents.close();
  expect(pids.filter(isAlive)).toEqual([]);
});

test('agents without a sample program, or on other machines, are left alone', async () => {
  agents = await startSampleAgents(
    [
      placeAt('billing-agent', 'http://127.0.0.1:9'),
      placeAt('chat-agent', 'http://10.0.0.7:9607'),
      placeAt('chat-agent', 'https://localhost:9607'),
      placeAt('chat-agent', 'nonsense'),
    ],
    { onDeath: noDeath },
  );
  expect(agents.running).toEqual([]);
});

test('a taken port is named with its agent, and the others do not stay behind', async () => {
  const taken = await place('orders-agent');
  const other = await place('chat-agent');
  const server = createServer().listen(Number(new URL(taken.address).port), '127.0.0.1');
  await once(server, 'listening');
  await expect(startSampleAgents([other, taken], { onDeath: noDeath })).rejects.toMatchObject({
    code: 'PORT_TAKEN',
    message: expect.stringMatching(
      new RegExp(
        `^The agent orders-agent cannot listen on port ${new URL(taken.address).port}, .* already in use`,
      ),
    ),
  });
  await expect(fetch(`${other.address}/healthz`)).rejects.toThrow();
  server.close();
});

test('an agent that dies is reported and started again, a bounded number of times', async () => {
  const deaths: SampleAgentDeath[] = [];
  const glossary = await place('glossary-agent');
  const { agentName, address } = glossary;
  agents = await startSampleAgents([glossary], { onDeath: (death) => deaths.push(death) });
  const [agent] = agents.running;
  for (let death = 1; death <= 6; death += 1) {
    await until(() => agent?.pid !== undefined);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    process.kill(agent?.pid ?? Number.NaN, 'SIGKILL');
    await until(() => deaths.length === death);
  }
  expect(deaths[0]).toEqual({ agentName, detail: 'signal SIGKILL', restarting: true });
  expect(deaths.map(({ restarting }) => restarting)).toEqual([true, true, true, true, true, false]);
  await agents.close();
  expect(agent?.pid).toBeUndefined();
});

test('agents register when they are told to and not before, and so does one that is started again', async () => {
  const service = await contractService();
  const chat = await place('chat-agent');
  agents = await startSampleAgents([chat], { onDeath() {} });
  const [agent] = agents.running;
  expect((await fetch(`${chat.address}/healthz`)).status).toBe(200);
  expect(service.calls).toEqual([]);
  agents.join(service.url);
  await until(() => service.seen('PUT instance').length === 1);
  expect(service.seen('PUT instance')[0]).toMatchObject({
    path: `/agents/chat-agent/instances/${chat.instanceId}`,
    body: { address: chat.address },
  });
  process.kill(agent?.pid ?? Number.NaN, 'SIGKILL');
  await until(() => service.seen('PUT instance').length === 2);
});

test('closing while an agent is being started again leaves no process', async () => {
  const children = () => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;
  const before = children();
  const pivot = await place('pivot-agent');
  let died = false;
  const onDeath = () => {
    died = true;
  };
  agents = await startSampleAgents([pivot], { onDeath });
  process.kill(agents.running[0]?.pid ?? Number.NaN, 'SIGKILL');
  await until(() => died);
  await agents.close();
  // Node lets go of an ended process a moment after it tells of its end.
  await until(() => children() === before);
});

test('agents end by themselves when the process that started them is killed', async () => {
  const places = [await place('hr-leave-agent'), await place('chat-agent')];
  const starter = pathToFileURL(builtEntry('demo/sample-agents.js')).href;
  const script = `
    import { startSampleAgents } from ${JSON.stringify(starter)};
    const agents = await startSampleAgents(${JSON.stringify(places)}, { onDeath() {} });
    console.log(JSON.stringify(agents.running.map(({ pid }) => pid)));
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pids: number[] = JSON.parse(String((await once(parent.stdout, 'data'))[0]));
  expect(pids.map(isAlive)).toEqual([true, true]);
  parent.kill('SIGKILL');
  await until(() => !pids.some(isAlive));
});
