import type { Clock } from '../clock.js';
import type { MessageBus } from '../cluster/message-bus.js';
import type { ReplicaStore } from '../cluster/replica-store.js';
import type { VectorStore } from '../embedding/embedder.js';
import type { TicketStore } from '../handoff/ticket-store.js';
import type { LabelStore } from '../labels/label-store.js';
import type { OutboxStore } from '../outbox/outbox-store.js';
import type { RecordStore } from '../record/record-store.js';
import type { TrendStore } from '../record/trend-store.js';
import type { CatalogueStore } from '../registry/catalogue.js';
import type { ChangeFeed } from '../registry/change-feed.js';
import type { InstanceStore } from '../registry/instance-store.js';
import type { LeaseStore } from '../registry/lease-store.js';
import type { RequestStore } from '../requests/request-store.js';
import type { WorkQueue } from '../requests/work-queue.js';
import type { SessionStore } from '../sessions/session-store.js';
import type { TuningStore } from '../tuning/tuning-store.js';

/** The adapters of every store port, over one place. */
export interface Stores {
  /** What replicas tell and share over it; undefined where only one process can have it open. */
  readonly shared: SharedPorts | undefined;
  /** The time by which all who share the place stamp what they keep in it, and judge it. */
  readonly clock: Clock;
  readonly catalogue: CatalogueStore;
  readonly instances: InstanceStore;
  readonly vectors: VectorStore;
  readonly records: RecordStore;
  readonly trends: TrendStore;
  readonly sessions: SessionStore;
  readonly requests: RequestStore;
  readonly work: WorkQueue;
  readonly outbox: OutboxStore;
  readonly tickets: TicketStore;
  readonly tuning: TuningStore;
  readonly labels: LabelStore;
  /** `failed` while the last access failed; `detail` is a sentence for a person. */
  status(): { readonly state: 'ok' | 'failed'; readonly detail: string };
  /** Later calls of a store are refused with CLOSED where it was a file. */
  close(): Promise<void>;
}

/** What several processes need that have one store. */
export interface SharedPorts {
  readonly feed: ChangeFeed;
  readonly leases: LeaseStore;
  readonly replicas: ReplicaStore;
  readonly bus: MessageBus;
}

/** Who has the stores open. */
export interface StoreOwner {
  readonly replicaId: string;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}
