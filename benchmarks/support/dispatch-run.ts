import type { Reach, ReachOptions } from '../../src/app.js';
import type { LaneSizes } from '../../src/settings.js';
import { BarePool } from './bare-pool.js';
import { createReach } from './built-app.js';
import type { Work } from './work-agent-process.js';
import { withWorkAgents } from './work-agents.js';
import { INTENTS, workManifest } from './work-manifests.js';

/** So wide that nobody waits for a slot. */
const OPEN = { slots: 10_000, queue: 100_000 } as const;
export const WIDE_OPEN: LaneSizes = { P0: OPEN, P1: OPEN, P2: OPEN };

/** As many as a service opens to one instance. */
const CONNECTIONS = 20;
const PROCESSES = 2;

export interface DispatchRun {
  readonly addresses: readonly string[];
  readonly bare: BarePool;
}

/** So many instances of one agent in processes of their own, and bare connections to the same. */
export function withCalledAgents<Result>(
  instances: number,
  run: (called: DispatchRun) => Promise<Result>,
): Promise<Result> {
  const shape = { processes: PROCESSES, instances: instances / PROCESSES, logged: false };
  return withWorkAgents(shape, async (agents) => {
    const ports = agents.flatMap((each) => each.ports);
    const bare = new BarePool(ports, CONNECTIONS);
    try {
      return await run({ addresses: ports.map((port) => `http://127.0.0.1:${port}`), bare });
    } finally {
      await bare.close();
    }
  });
}

/** The service as a library, with one agent at these addresses; closed when the work is done. */
export async function withReach<Result>(
  addresses: readonly string[],
  options: ReachOptions,
  run: (reach: Reach) => Promise<Result>,
): Promise<Result> {
  const reach = await createReach({ lanes: WIDE_OPEN, englishModel: false, ...options });
  try {
    await reach.publish(workManifest('archive', addresses));
    return await run(reach);
  } finally {
    await reach.close();
  }
}

/** Dispatches work by its intent, of which everybody is sure. @throws Error where it is not completed */
export async function dispatchWork(reach: Reach, work: Work, requestId?: string): Promise<void> {
  const { state, error } = await reach.dispatch({
    intent: INTENTS.read,
    payload: { ...work },
    ...(requestId !== undefined && { requestId }),
  });
  if (state !== 'completed') throw new Error(`A dispatch ended as ${state}: ${error?.code} ${error?.detail}`);
}
