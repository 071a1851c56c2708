import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BuiltVersion } from './built-version.js';
import { untilReady } from './until-ready.js';

const PROGRAM = fileURLToPath(new URL('upgrade-agent.mjs', import.meta.url));

/** An agent of a version's kit, in a process of its own. */
export interface UpgradeAgent {
  readonly agentName: string;
  readonly instanceId: string;
  /** Ends it as a user would. @throws Error where it does not end by itself with exit code 0 */
  stop(): Promise<void>;
}

/** The states of an agent's instances as a service tells them, by their ids. */
export async function instanceStates(
  url: string,
  agentName: string,
): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${url}/api/v1/agents/${agentName}/instances`);
  if (!answer.ok) return {};
  const { instances } = (await answer.json()) as { instances: { instance_id: string; state: string }[] };
  return Object.fromEntries(instances.map(({ instance_id, state }) => [instance_id, state]));
}

/** Whether an agent is in the catalogue that a service serves, and this instance of it takes work. */
export async function serves(
  url: string,
  { agentName, instanceId }: Pick<UpgradeAgent, 'agentName' | 'instanceId'>,
) {
  const [found, states] = await Promise.all([
    fetch(`${url}/api/v1/agents/${agentName}`),
    instanceStates(url, agentName),
  ]);
  await found.arrayBuffer();
  return found.ok && states[instanceId] === 'up';
}

/** Starts it; resolves once the service at `url` has its manifest, and sends it work. */
export async function startUpgradeAgent(
  { kit }: BuiltVersion,
  url: string,
  agentName: string,
  instanceId: string,
): Promise<UpgradeAgent> {
  const child = spawn(process.execPath, [PROGRAM, kit, url, agentName, instanceId], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`${instanceId} of ${agentName} ended with exit code ${code}.`);
  };
  try {
    await untilReady(() => serves(url, { agentName, instanceId }));
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { agentName, instanceId, stop };
}
