import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WeightsSchema } from '../routing/weights.js';
import { fetched } from './remote-call.js';

/**
 * Works with the weights that are in force on a server as with a file, which is gone afterwards.
 * @throws ReachError SERVER_UNREACHABLE, and what the server answers
 */
export async function withServedWeights<T>(server: URL, work: (file: string) => Promise<T>): Promise<T> {
  const weights = await fetched(new URL('api/v1/tuning/weights', server), WeightsSchema);
  const folder = await mkdtemp(join(tmpdir(), 'agent-reach-weights-'));
  try {
    const file = join(folder, 'weights.json');
    await writeFile(file, JSON.stringify(weights));
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
