import type { Placement, SegmentIdentity } from './segment-file.js';

/** Some capabilities' vectors: `vectors` holds them one after the other, each capability's `counts` many. */
export interface VectorSlice {
  readonly counts: readonly number[];
  readonly vectors: Float32Array;
}

/** What the service says to the process that builds a segment: `begin`, then slices, then `finish`. */
export type ToHnswProcess =
  | {
      readonly type: 'begin';
      readonly folder: string;
      readonly name: string;
      readonly identity: SegmentIdentity;
      /** The most vectors that will come. */
      readonly capacity: number;
    }
  /** With `mayRest`, the process rests as long as it works: it takes the cores and their memory from those who answer. */
  | ({ readonly type: 'slice'; readonly mayRest: boolean } & VectorSlice)
  | { readonly type: 'finish' };

/** What the process answers to each, before it is told the next; `placement` is that of a slice. */
export type FromHnswProcess =
  | { readonly type: 'done'; readonly placement: Placement }
  | { readonly type: 'failed'; readonly detail: string };
