import type { Clock } from '../clock.js';
import type { Lifecycle } from '../lifecycle.js';
import type { DecisionRecorder } from '../record/decision-recorder.js';
import { LabelBook } from './label-book.js';
import { LabelGatherer } from './label-gatherer.js';
import type { LabelStore } from './label-store.js';

interface LabelsContext {
  readonly store: LabelStore;
  readonly team: string;
  readonly recorder: Pick<DecisionRecorder, 'find'>;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** What is kept of what is right, and who keeps it. The gatherer follows decisions. */
export interface Labels {
  readonly book: LabelBook;
  readonly gatherer: LabelGatherer;
}

/** Puts the parts of the labels together; at the close, what was gathered is written. */
export function openLabels({ store, team, recorder, clock, lifecycle, report }: LabelsContext): Labels {
  const recorded = (routeId: string) => recorder.find(routeId);
  const gatherer = new LabelGatherer({ store, team, recorded, clock, report });
  lifecycle.add('labels', () => gatherer.close());
  return { book: new LabelBook({ store, team, gatherer }), gatherer };
}
