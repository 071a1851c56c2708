import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from './service-process.js';
import { untilReady } from './until-ready.js';

export const BALANCER_CONFIG = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url));
/** The most replicas that its configuration knows. */
const PLACES = [0, 1, 2];

/** Whether this machine has the program. */
export function hasBalancer(): boolean {
  return spawnSync('haproxy', ['-v']).status === 0;
}

/** Said of a replica; `drain`: it gets nothing new. */
export type ReplicaState = 'drain' | 'ready';

/** The balancer of `deploy/` as a process of its own, before replicas. */
export interface Balancer {
  readonly url: string;
  /** As `roll.sh` says it. `place`: of the replicas that it was given, from 0. */
  set(place: number, state: ReplicaState): Promise<void>;
  stop(): Promise<void>;
}

/** What the configuration reads from its environment; a replica that is not named listens nowhere. */
async function environmentFor(
  port: number,
  adminPort: number,
  replicas: readonly string[],
): Promise<NodeJS.ProcessEnv> {
  const named = PLACES.map(async (place) => {
    const address = replicas[place] ?? `127.0.0.1:${await freePort()}`;
    return [`REPLICA_${place + 1}`, address] as const;
  });
  const listening = { BIND: `127.0.0.1:${port}`, ADMIN: `ipv4@127.0.0.1:${adminPort}` };
  return { ...process.env, ...listening, ...Object.fromEntries(await Promise.all(named)) };
}

/** What the program says of its configuration; '' where nothing is wrong. */
export async function faultsOfConfig(): Promise<string> {
  const env = await environmentFor(await freePort(), await freePort(), []);
  const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-f', BALANCER_CONFIG], {
    env,
    encoding: 'utf8',
  });
  return status === 0 ? '' : stdout + stderr;
}

/** Starts it before replicas at `HOST:PORT`; resolves once it has found one of them ready. */
export async function startBalancer(replicas: readonly string[]): Promise<Balancer> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = await environmentFor(port, adminPort, replicas);
  const child = spawn('haproxy', ['-db', '-f', BALANCER_CONFIG], { env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await untilReady(() =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    async set(place, state) {
      const admin = connect(adminPort, '127.0.0.1');
      admin.end(`set server replicas/replica-${place + 1} state ${state}\n`);
      // An empty line where it is done, a sentence where it is not.
      const said = await text(admin);
      if (said.trim() !== '') throw new Error(said);
    },
    stop,
  };
}
