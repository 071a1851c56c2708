import type { LabelStore } from '../../labels/label-store.js';
import type { RecordStore } from '../../record/record-store.js';
import type { TrendStore } from '../../record/trend-store.js';
import type { RequestStore } from '../../requests/request-store.js';
import type { WorkList } from '../process-work-queue.js';
import type { StoreThread } from './store-thread.js';

/** The ports that the thread of records serves. */
export interface RecordPorts {
  readonly records: RecordStore;
  readonly trends: TrendStore;
}

/** The ports that the thread of requests serves. */
export interface RequestPorts {
  readonly requests: RequestStore;
  readonly work: WorkList;
}

/** The port that the thread of labels serves. */
export interface LabelPorts {
  readonly labels: LabelStore;
}

export function recordPortsOf(thread: StoreThread): RecordPorts {
  return {
    records: {
      salt: (...args) => thread.ask('records', 'salt', args),
      append: (...args) => thread.ask('records', 'append', args),
      find: (...args) => thread.ask('records', 'find', args),
      report: (...args) => thread.ask('records', 'report', args),
      keepShadow: (...args) => thread.ask('records', 'keepShadow', args),
      shadowTallies: (...args) => thread.ask('records', 'shadowTallies', args),
      differing: (...args) => thread.ask('records', 'differing', args),
      page: (...args) => thread.ask('records', 'page', args),
      prune: (...args) => thread.ask('records', 'prune', args),
    },
    trends: {
      add: (...args) => thread.ask('trends', 'add', args),
      rows: (...args) => thread.ask('trends', 'rows', args),
      prune: (...args) => thread.ask('trends', 'prune', args),
    },
  };
}

export function requestPortsOf(thread: StoreThread): RequestPorts {
  return {
    requests: {
      secret: (...args) => thread.ask('requests', 'secret', args),
      create: (...args) => thread.ask('requests', 'create', args),
      save: (...args) => thread.ask('requests', 'save', args),
      remove: (...args) => thread.ask('requests', 'remove', args),
      find: (...args) => thread.ask('requests', 'find', args),
      list: (...args) => thread.ask('requests', 'list', args),
      unfinished: (...args) => thread.ask('requests', 'unfinished', args),
      overdue: (...args) => thread.ask('requests', 'overdue', args),
      prune: (...args) => thread.ask('requests', 'prune', args),
    },
    work: {
      add: (...args) => thread.ask('work', 'add', args),
      remove: (...args) => thread.ask('work', 'remove', args),
      all: (...args) => thread.ask('work', 'all', args),
    },
  };
}

export function labelPortsOf(thread: StoreThread): LabelPorts {
  return {
    labels: {
      add: (...args) => thread.ask('labels', 'add', args),
      remove: (...args) => thread.ask('labels', 'remove', args),
      page: (...args) => thread.ask('labels', 'page', args),
    },
  };
}
