import { ReachError } from '../errors.js';
import { inPages } from '../pages.js';
import { distinct, labelOf, type SaidLabel } from './label.js';
import type { LabelGatherer } from './label-gatherer.js';
import type { LabelQuery, LabelStore } from './label-store.js';
import type { StoredLabel } from './stored-label.js';

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
    const labels = said.map(labelOf);
    const added = await store.add(team, distinct(labels));
    if (added === 'full') {
      const detail = 'There is no room for these labels besides those that people wrote.';
      throw new ReachError('LABELS_FULL', detail);
    }
    return { labelIds: labels.map(({ labelId }) => labelId), added };
  }

  /** @throws ReachError LABEL_UNKNOWN, STORE_UNAVAILABLE */
  async remove(labelId: string): Promise<void> {
    const { store, team } = this.#parts;
    if (await store.remove(team, labelId)) return;
    throw new ReachError('LABEL_UNKNOWN', `No label ${labelId} is kept.`);
  }

  /**
   * Labels, oldest first, those included that had to be written yet; all of them where nothing narrows them down. Read
   * page by page, as they are taken.
   * @throws ReachError STORE_UNAVAILABLE, CLOSED
   */
  async *all({
    source,
    fromMs = 0,
  }: Partial<Pick<LabelQuery, 'source' | 'fromMs'>> = {}): AsyncGenerator<StoredLabel, void> {
    const { gatherer, store, team } = this.#parts;
    await gatherer.flush();
    yield* inPages((after, limit) => store.page(team, { source, fromMs, after, limit }));
  }
}
