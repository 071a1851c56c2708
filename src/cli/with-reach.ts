import type { ReachOptions } from '../config.js';
import type { AnsweringReach } from './answering-reach.js';
import type { CliServices } from './cli-services.js';
import { remoteReach } from './remote-reach.js';
import { baseOf } from './server-url.js';

/** In this process: over `manifests/` where nothing else is said, and without leaving anything behind. */
async function localReach(services: CliServices, options: ReachOptions): Promise<AnsweringReach> {
  const kept = { data: null, probes: false, tickets: false } as const;
  const reach = await services.createReach({ manifests: 'manifests', ...options, ...kept });
  return {
    answerBy: 'capability',
    route: (request) => reach.route(request),
    agents: async () => reach.agents(),
    close: () => reach.close(),
  };
}

/** Asks the server at `--url` or REACH_URL, else this process; closes what it opened, whatever comes. */
export async function withReach<T>(
  services: CliServices,
  url: string | undefined,
  options: ReachOptions,
  ask: (reach: AnsweringReach) => Promise<T>,
): Promise<T> {
  const server = url || services.env.REACH_URL;
  const reach = server ? remoteReach(baseOf(server)) : await localReach(services, options);
  try {
    return await ask(reach);
  } finally {
    await reach.close();
  }
}
