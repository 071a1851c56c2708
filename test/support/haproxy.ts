import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { freePort } from './free-port.js';
import { until } from './until.js';

export const BALANCER_CONFIG = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url));

const isThere = spawnSync('haproxy', ['-v']).status === 0;
const LACK = 'no haproxy: Debian and Ubuntu have it as apt-get install haproxy';

/** Tests with the balancer itself: skipped, with the reason in their name, where it is not installed. */
export function describeWithBalancer(name: string, tests: () => void): void {
  describe.skipIf(!isThere)(`${name}${isThere ? '' : ` (${LACK})`}`, tests);
}

/** Said of a replica; `drain`: it gets nothing new. */
export type ServerState = 'drain' | 'ready';

export interface Balancer {
  readonly url: string;
  /** As `roll.sh` says it. `place`: of the replicas that it was given, from 0. */
  set(place: number, state: ServerState): Promise<void>;
}

/** What the configuration reads from its environment; a replica that is not named listens nowhere. */
async function environmentFor(
  port: number,
  adminPort: number,
  replicas: readonly string[],
): Promise<NodeJS.ProcessEnv> {
  const addresses = await Promise.all(
    [0, 1, 2].map(async (place) => replicas[place] ?? `127.0.0.1:${await freePort()}`),
  );
  const named = addresses.map((address, index) => [`REPLICA_${index + 1}`, address]);
  const places = { BIND: `127.0.0.1:${port}`, ADMIN: `ipv4@127.0.0.1:${adminPort}` };
  return { ...process.env, ...places, ...Object.fromEntries(named) };
}

/** What the program says of the configuration; '' where nothing is wrong. */
export async function faultsOfConfig(): Promise<string> {
  const env = await environmentFor(await freePort(), await freePort(), []);
  const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-f', BALANCER_CONFIG], {
    env,
    encoding: 'utf8',
  });
  return status === 0 ? '' : stdout + stderr;
}

/** Starts the balancer before replicas at `HOST:PORT`; resolves once it has found one of them ready. */
export async function balancer(
  replicas: readonly string[],
  whenOver: (end: () => Promise<void>) => void,
): Promise<Balancer> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const child = spawn('haproxy', ['-db', '-f', BALANCER_CONFIG], {
    env: await environmentFor(port, adminPort, replicas),
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  whenOver(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/readyz`)).ok);
  return {
    url,
    async set(place, state) {
      const admin = connect(adminPort, '127.0.0.1');
      admin.end(`set server replicas/replica-${place + 1} state ${state}\n`);
      // An empty line where it is done, a sentence where it is not.
      const said = await text(admin);
      if (said.trim() !== '') throw new Error(said);
    },
  };
}
