import type { StoredTicket } from '../handoff/ticket.js';
import type { StoredLabel } from '../labels/stored-label.js';
import type { Delivery, OutboxMessage } from '../outbox/message.js';
import type { DecisionRecord } from '../record/decision-record.js';
import type { ShadowTally } from '../record/record-store.js';
import type { Period, TrendRow } from '../record/trend-store.js';
import type { ManifestVersion, StoredManifest } from '../registry/catalogue.js';
import type { StoredInstance } from '../registry/instance-store.js';
import type { StoredRequest } from '../requests/request-store.js';
import type { QueuedWork } from '../requests/work-queue.js';
import type { StoredSession } from '../sessions/session-store.js';
import type { NewTuning, Shadow, TuningVersion } from '../tuning/tuning-store.js';

/** All that a store keeps, kind by kind, whatever it is kept in. What is undefined is not there. */
export interface DumpRows {
  /** How far the one sequence of catalogue and addresses has come. */
  readonly sequence: { readonly version: number };
  /** Every version that is kept. `current`: it serves; an agent that was removed has none. */
  readonly manifest: StoredManifest & Omit<ManifestVersion, 'manifestVersion' | 'source'>;
  readonly instance: StoredInstance;
  readonly session: StoredSession;
  /** One that has ended has no message and no time at which it is due. */
  readonly message: {
    readonly messageId: string;
    readonly message: OutboxMessage | null;
    readonly delivery: Delivery;
    readonly dueAtMs: number | null;
    readonly endedAtMs: number | null;
  };
  readonly ticket: StoredTicket;
  readonly tuning: NewTuning & Pick<TuningVersion, 'number' | 'rolledBackAtMs'>;
  readonly shadowWeights: Shadow;
  readonly label: StoredLabel;
  readonly requestSecret: { readonly secret: string };
  readonly request: StoredRequest;
  /** What waits to be carried out, in this order. */
  readonly work: QueuedWork;
  readonly recordSalt: { readonly salt: string };
  readonly decision: DecisionRecord;
  readonly shadowTally: ShadowTally;
  readonly trend: TrendRow & { readonly agentName: string; readonly period: Period };
  /** Of all teams: its team is empty. `vector`: float32, little-endian, in base64. */
  readonly vector: { readonly modelHash: string; readonly textHash: string; readonly vector: string };
}

export type DumpKind = keyof DumpRows;

/** In the order in which they are dumped and restored. */
export const DUMP_KINDS = [
  'sequence',
  'manifest',
  'instance',
  'session',
  'message',
  'ticket',
  'tuning',
  'shadowWeights',
  'label',
  'requestSecret',
  'request',
  'work',
  'recordSalt',
  'decision',
  'shadowTally',
  'trend',
  'vector',
] as const satisfies readonly DumpKind[];

/** One thing that a store keeps. */
export type DumpRow = {
  readonly [Kind in DumpKind]: {
    readonly kind: Kind;
    readonly team: string;
    readonly row: DumpRows[Kind];
  };
}[DumpKind];

/**
 * A store that is moved as a whole, while no service uses it. A port; `storage/` has one for each place.
 * Its calls throw ReachError STORE_UNAVAILABLE, CONFIG_INVALID.
 */
export interface StoreDump {
  /** For a person. */
  readonly place: string;
  /** All that is kept, kind by kind. */
  dump(): AsyncIterable<DumpRow>;
  /**
   * Which import has begun here and not ended: no service opens the store until it has.
   * @throws ReachError STORE_UNAVAILABLE
   */
  importing(): Promise<string | undefined>;
  begin(importId: string): Promise<void>;
  /** Keeps rows of one kind; what is there already stays as it is, so that a slice may come again. */
  restore(rows: readonly DumpRow[]): Promise<void>;
  end(): Promise<void>;
  close(): Promise<void>;
}
