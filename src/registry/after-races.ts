import { asReachError, type ErrorCode } from '../errors.js';

interface Races {
  /** How often work is tried again. */
  readonly most: number;
  /** Refusals that may only be so since another process has changed the store, and we do not know yet. */
  readonly refusals: ReadonlySet<ErrorCode>;
  /** Resolves when all is known here that any process has stored. */
  readonly catchUp: () => Promise<void>;
}

/** Work that is tried again with what others have changed, where that may be why it was refused. */
export async function afterRaces<Result>(
  { most, refusals, catchUp }: Races,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let races = most; ; races -= 1) {
    try {
      return await work();
    } catch (thrown) {
      if (races === 0 || !refusals.has(asReachError(thrown).code)) throw thrown;
      await catchUp();
    }
  }
}
