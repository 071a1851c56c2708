import type { Clock } from '../clock.js';
import type { LabelBook } from '../labels/label-book.js';
import { inPages } from '../pages.js';
import type { DecisionRecord } from '../record/decision-record.js';
import type { DecisionRecorder } from '../record/decision-recorder.js';
import type { RecordStore, ShadowTally } from '../record/record-store.js';
import { PERIODS, startOf } from '../record/trend-store.js';
import { SingleFlight } from '../single-flight.js';
import type { ShadowComparison } from '../wire/shadow.js';
import { KnownLabels } from './known-labels.js';
import { ShadowChanges } from './shadow-changes.js';

/** Some seconds of work, spread out. */
const MOST_READ = 100_000;

export interface ShadowComparerParts {
  readonly recorder: DecisionRecorder;
  readonly records: RecordStore;
  readonly labels: Pick<LabelBook, 'all'>;
  readonly team: string;
  readonly clock: Clock;
}

type Versions = Pick<ShadowTally, 'weightsVersion' | 'shadowVersion'>;
const keyOf = ({ weightsVersion, shadowVersion }: Versions) =>
  JSON.stringify([weightsVersion, shadowVersion]);

/** The tallies of each two weights, added up. */
function sumsOf(tallies: readonly ShadowTally[]): ShadowTally[] {
  const sums = new Map<string, ShadowTally>();
  for (const tally of tallies) {
    const { compared = 0, differing = 0 } = sums.get(keyOf(tally)) ?? {};
    const sum = { compared: compared + tally.compared, differing: differing + tally.differing };
    sums.set(keyOf(tally), { ...tally, ...sum });
  }
  return [...sums.values()].sort((a, b) => b.compared - a.compared);
}

/** Holds what weights in the shadow would have decided against what was decided, and both against labels. */
export class ShadowComparer {
  readonly #parts: ShadowComparerParts;
  readonly #readingLabels = new SingleFlight<KnownLabels>();

  constructor(parts: ShadowComparerParts) {
    this.#parts = parts;
  }

  /**
   * Of the last `hours`, from the full hour on. How many there were has been counted as they came; only those that
   * differ are read.
   * @throws ReachError STORE_UNAVAILABLE, CLOSED, and the reason of `end`
   */
  async compare(hours: number, end: AbortSignal): Promise<ShadowComparison> {
    const { recorder, records, team, clock } = this.#parts;
    const fromMs = startOf('hour', clock.now() - hours * PERIODS.hour);
    await recorder.flush();
    const changes = await this.#changes(fromMs, end);
    const sums = sumsOf(await records.shadowTallies(team, fromMs));
    const pairs = sums.map(({ weightsVersion, shadowVersion, compared, differing }) => {
      const ofPair = changes.get(keyOf({ weightsVersion, shadowVersion })) ?? new ShadowChanges();
      return { weightsVersion, shadowWeightsVersion: shadowVersion, compared, differing, ...ofPair.told() };
    });
    return { since: new Date(fromMs).toISOString(), pairs };
  }

  async #changes(fromMs: number, end: AbortSignal): Promise<ReadonlyMap<string, ShadowChanges>> {
    const changes = new Map<string, ShadowChanges>();
    let known: KnownLabels | undefined;
    for await (const record of this.#differing(fromMs)) {
      end.throwIfAborted();
      const { weightsVersion, shadow } = record;
      if (shadow === null) continue;
      known ??= await this.#readingLabels.run(() => KnownLabels.read(this.#parts.labels.all(), end));
      const key = keyOf({ weightsVersion, shadowVersion: shadow.weightsVersion });
      const ofPair = changes.get(key) ?? new ShadowChanges();
      changes.set(key, ofPair);
      ofPair.add(record, shadow, known.expectedOf(record));
    }
    return changes;
  }

  async *#differing(fromMs: number): AsyncGenerator<DecisionRecord, void> {
    const { records, team } = this.#parts;
    let read = 0;
    for await (const record of inPages<DecisionRecord>((before, limit) =>
      records.differing(team, { fromMs, before, limit }),
    )) {
      yield record;
      read += 1;
      if (read === MOST_READ) return;
    }
  }
}
