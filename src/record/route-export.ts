import { inPages } from '../pages.js';
import type { DecisionRecord } from './decision-record.js';
import type { DecisionRecorder } from './decision-recorder.js';
import type { RecordStore } from './record-store.js';

export interface ExportedRange {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly agentName: string | undefined;
  readonly newestFirst: boolean;
  /** Only those whose intent is meant; undefined: all, also those without one. */
  readonly matches: ((intent: string) => boolean) | undefined;
}

interface RouteExportParts {
  readonly recorder: DecisionRecorder;
  readonly store: RecordStore;
  readonly team: string;
}

/** Reads kept decisions, however many there are: page by page, as they are taken, and nothing is held between two. */
export class RouteExport {
  readonly #parts: RouteExportParts;

  constructor(parts: RouteExportParts) {
    this.#parts = parts;
  }

  /**
   * The decisions of a while, those included that had to be written yet.
   * @throws ReachError STORE_UNAVAILABLE, CLOSED
   */
  async *of({ matches, ...range }: ExportedRange): AsyncGenerator<DecisionRecord, void, void> {
    const { recorder, store, team } = this.#parts;
    await recorder.flush();
    for await (const record of inPages<DecisionRecord>((after, limit) =>
      store.page(team, { ...range, after, limit }),
    )) {
      const isMeant = matches === undefined || (record.intent !== null && matches(record.intent));
      if (isMeant) yield record;
    }
  }
}
