import type {
  Label,
  LabelAddition,
  LabelRemoved,
  LabelReview,
  LabelSource,
  LabelsAdded,
} from '../wire/labels.js';

export interface LabelListQuery {
  /** Only those that came from there. */
  readonly source?: LabelSource;
  /** Only those that were said within so many hours, 1 to 8,760. */
  readonly hours?: number;
}

/** What people, and callers, have said is right. */
export interface LabelCalls {
  /**
   * The labels, oldest first, read as they are taken.
   * @throws ReachError INVALID_REQUEST, CLOSED at once; STORE_UNAVAILABLE, CLOSED while they are taken
   */
  labels(query?: LabelListQuery): AsyncIterable<Label>;
  /**
   * Keeps labels that somebody wrote, all of them or none.
   * @throws ReachError INVALID_REQUEST, CAPABILITY_UNKNOWN, LABELS_FULL, STORE_UNAVAILABLE, NOT_READY, CLOSED
   */
  addLabels(addition: LabelAddition): Promise<LabelsAdded>;
  /** @throws ReachError LABEL_UNKNOWN, STORE_UNAVAILABLE, CLOSED */
  removeLabel(labelId: string): Promise<LabelRemoved>;
  /** What a person should look at. @throws ReachError STORE_UNAVAILABLE, NOT_READY, CLOSED */
  reviewLabels(): Promise<LabelReview>;
}
