import type { LabelCursor, LabelQuery, LabelStore } from '../../labels/label-store.js';
import { isWritten, type StoredLabel } from '../../labels/stored-label.js';

/** Labels of a team that are kept: some 30 MB where intents are long. */
const LABELS_IN_MEMORY = 10_000;

interface Labels {
  readonly byId: Map<string, StoredLabel>;
  /** By time, then by label_id. */
  readonly order: StoredLabel[];
}

function isBehind(one: LabelCursor, other: LabelCursor): boolean {
  return one.atMs === other.atMs ? one.labelId > other.labelId : one.atMs > other.atMs;
}

/** How many stand before `cursor` or at it. */
function countUpTo(order: readonly StoredLabel[], cursor: LabelCursor): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const label = order[middle];
    if (label !== undefined && isBehind(label, cursor)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Labels for as long as the process lives. */
export class MemoryLabelStore implements LabelStore {
  readonly #teams = new Map<string, Labels>();
  readonly #most: number;

  /** `most`: how many of a team are kept. */
  constructor(most = LABELS_IN_MEMORY) {
    this.#most = most;
  }

  async add(team: string, labels: readonly StoredLabel[]): Promise<number | 'full'> {
    const { byId, order } = this.#labels(team);
    const fresh = labels.filter(({ labelId }) => !byId.has(labelId));
    if (order.filter(isWritten).length + fresh.filter(isWritten).length > this.#most) return 'full';
    for (const label of labels) {
      await this.remove(team, label.labelId);
      byId.set(label.labelId, label);
      order.splice(countUpTo(order, label), 0, label);
    }
    const unwritten = order.filter((label) => !isWritten(label));
    const tooMany = Math.max(0, order.length - this.#most);
    for (const { labelId } of unwritten.slice(0, tooMany)) await this.remove(team, labelId);
    return fresh.length;
  }

  async remove(team: string, labelId: string): Promise<boolean> {
    const { byId, order } = this.#labels(team);
    const label = byId.get(labelId);
    if (label === undefined) return false;
    byId.delete(labelId);
    order.splice(countUpTo(order, label) - 1, 1);
    return true;
  }

  async page(team: string, { source, fromMs, after, limit }: LabelQuery): Promise<readonly StoredLabel[]> {
    const { order } = this.#labels(team);
    const page: StoredLabel[] = [];
    for (const label of order.slice(countUpTo(order, after ?? { atMs: fromMs, labelId: '' }))) {
      if (page.length === limit) break;
      if ((source ?? label.source) === label.source) page.push(label);
    }
    return page;
  }

  #labels(team: string): Labels {
    let labels = this.#teams.get(team);
    if (labels === undefined) {
      labels = { byId: new Map(), order: [] };
      this.#teams.set(team, labels);
    }
    return labels;
  }
}
