import type { Manifest } from '../manifest/schema.js';
import type { InstanceRecord, Moment } from './instance-record.js';
import type { InstanceView } from './instance-view.js';

/**
 * The instances of one agent, and their views as one list. An agent may have thousands, and every call changes one of
 * them: then the list is a copy with the new view in its place, which costs next to nothing.
 */
export class AgentInstances {
  /** Undefined where instances are registered and nothing is published yet. */
  manifest: Manifest | undefined;
  readonly #records = new Map<string, InstanceRecord>();
  /** Undefined when one has come or gone since the list was asked for last. */
  #views: readonly InstanceView[] | undefined;
  readonly #places = new Map<InstanceRecord, number>();
  /** To whom something has happened since then. */
  readonly #changed = new Set<InstanceRecord>();

  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  get(instanceId: string): InstanceRecord | undefined {
    return this.#records.get(instanceId);
  }

  values(): Iterable<InstanceRecord> {
    return this.#records.values();
  }

  add(record: InstanceRecord): void {
    this.#records.set(record.instance.instanceId, record);
    this.#views = undefined;
  }

  remove(record: InstanceRecord): void {
    this.#records.delete(record.instance.instanceId);
    this.#views = undefined;
    this.#changed.delete(record);
  }

  /** The view of one of them is another one now. */
  changed(record: InstanceRecord): void {
    this.#changed.add(record);
  }

  /** The same array until something changes, in the order in which they came. */
  views(now: () => Moment): readonly InstanceView[] {
    if (this.#views !== undefined && this.#changed.size === 0) return this.#views;
    this.#views = this.#views === undefined ? this.#listed(now()) : this.#renewed(this.#views, now());
    this.#changed.clear();
    return this.#views;
  }

  #listed(now: Moment): InstanceView[] {
    this.#places.clear();
    return Array.from(this.#records.values(), (record, place) => {
      this.#places.set(record, place);
      return record.view(now);
    });
  }

  #renewed(before: readonly InstanceView[], now: Moment): InstanceView[] {
    const views = [...before];
    for (const record of this.#changed) {
      const place = this.#places.get(record);
      if (place !== undefined) views[place] = record.view(now);
    }
    return views;
  }
}
