import type { SegmentIdentity } from './segment-file.js';

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
  | {
      readonly type: 'slice';
      /** One after the other. */
      readonly vectors: Float32Array;
      /** The process rests as long as it works: it takes the cores and their memory from those who answer. */
      readonly mayRest: boolean;
    }
  | { readonly type: 'finish' };

/** What the process answers to each, before it is told the next; `rows`: where the vectors of a slice lie. */
export type FromHnswProcess =
  | { readonly type: 'done'; readonly rows: readonly number[] }
  | { readonly type: 'failed'; readonly detail: string };
