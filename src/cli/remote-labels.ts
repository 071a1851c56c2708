import {
  type LabelAddition,
  type LabelRemoved,
  type LabelReview,
  type LabelsAdded,
  labelAdditionCodec,
  labelRemovedCodec,
  labelReviewCodec,
  labelsAddedCodec,
} from '../wire/labels.js';
import { call, sending } from './remote-call.js';

/** A server's labels. */
export interface RemoteLabels {
  addLabels(addition: LabelAddition): Promise<LabelsAdded>;
  removeLabel(labelId: string): Promise<LabelRemoved>;
  reviewLabels(): Promise<LabelReview>;
}

/** `api`: where the call of these steps lies. */
export function remoteLabels(api: (...steps: string[]) => URL): RemoteLabels {
  return {
    addLabels: (addition) =>
      call(api('labels'), labelsAddedCodec, sending('POST', labelAdditionCodec.encode(addition))),
    removeLabel: (labelId) => call(api('labels', labelId), labelRemovedCodec, { method: 'DELETE' }),
    reviewLabels: () => call(api('labels', 'review'), labelReviewCodec),
  };
}
