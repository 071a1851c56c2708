import { parentPort } from 'node:worker_threads';
import { check, type Diagnostics } from 'recheck';

/** What the worker is asked, one at a time. */
export interface PatternQuestion {
  readonly source: string;
  readonly timeoutMs: number;
}

export type PatternAnswer = Pick<Diagnostics, 'status'>;

/**
 * The native program of recheck where it runs, else the one in JavaScript. Without a choice recheck would try
 * Java in between. A worker's `process.env` is its own copy.
 */
process.env.RECHECK_BACKEND = 'native';

async function diagnose({ source, timeoutMs }: PatternQuestion): Promise<PatternAnswer> {
  try {
    return await check(source, 'u', { timeout: timeoutMs });
  } catch (error) {
    if (process.env.RECHECK_BACKEND === 'pure') throw error;
    process.env.RECHECK_BACKEND = 'pure';
    return await diagnose({ source, timeoutMs });
  }
}

parentPort?.on('message', async (question: PatternQuestion) => {
  const { status } = await diagnose(question);
  parentPort?.postMessage({ status } satisfies PatternAnswer);
});
