import { setImmediate } from 'node:timers/promises';
import { ReachError } from '../errors.js';
import { labelOf, labelsOf, type SaidLabel, type StoredLabel } from './label.js';
import type { LabelGatherer } from './label-gatherer.js';
import type { LabelCursor, LabelQuery, LabelStore } from './label-store.js';

/** About a millisecond of work on this thread. */
const PAGE = 100;

interface LabelBookParts {
  readonly store: LabelStore;
  readonly team: string;
  readonly gatherer: LabelGatherer;
}

/** The kept labels: those that people write and take away, and all of them page by page. */
export class LabelBook {
  readonly #parts: LabelBookParts;

  constructor(parts: LabelBookParts) {
    this.#parts = parts;
  }

  /**
   * Keeps labels, all of them or none; gives their ids in the same order, and how many were new.
   * @throws ReachError LABELS_FULL, STORE_UNAVAILABLE
   */
  async add(said: readonly SaidLabel[]): Promise<{ labelIds: string[]; added: number }> {
    const { store, team } = this.#parts;
    const added = await store.add(team, labelsOf(said));
    if (added === 'full') {
      const detail = 'There is no room for these labels besides those that people wrote.';
      throw new ReachError('LABELS_FULL', detail);
    }
    return { labelIds: said.map((each) => labelOf(each).labelId), added };
  }

  /** @throws ReachError LABEL_UNKNOWN, STORE_UNAVAILABLE */
  async remove(labelId: string): Promise<void> {
    const { store, team } = this.#parts;
    if (await store.remove(team, labelId)) return;
    throw new ReachError('LABEL_UNKNOWN', `No label ${labelId} is kept.`);
  }

  /**
   * Labels, oldest first, those included that had to be written yet. Read page by page, as they are taken.
   * @throws ReachError STORE_UNAVAILABLE, CLOSED
   */
  async *all({ source, fromMs }: Pick<LabelQuery, 'source' | 'fromMs'>): AsyncGenerator<StoredLabel, void> {
    const { gatherer, store, team } = this.#parts;
    await gatherer.flush();
    let after: LabelCursor | undefined;
    let page: readonly StoredLabel[];
    do {
      page = await store.page(team, { source, fromMs, after, limit: PAGE });
      yield* page;
      after = page.at(-1);
      // Where the store answers at once, others have their turn between two pages.
      await setImmediate();
    } while (page.length === PAGE);
  }
}
