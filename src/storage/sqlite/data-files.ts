import { LABEL_MIGRATIONS } from './label-schema.js';
import { RECORD_MIGRATIONS } from './record-schema.js';
import { REQUEST_MIGRATIONS } from './request-schema.js';
import { MIGRATIONS } from './schema.js';

/** The files of a data folder, and the steps to the newest schema of each. */
export const DATA_FILES = Object.freeze({
  store: { fileName: 'agent-reach.db', migrations: MIGRATIONS },
  /** What only grows and may be lost stands apart from what must be kept. */
  records: { fileName: 'records.db', migrations: RECORD_MIGRATIONS },
  /** What is written with every request that is kept: only labels, which are few, wait for the disk with it. */
  requests: { fileName: 'requests.db', migrations: REQUEST_MIGRATIONS },
  /** What people have said is right: it outlives the decisions that it is about, and is written as often as they say it. */
  labels: { fileName: 'labels.db', migrations: LABEL_MIGRATIONS },
});

export type DataFile = keyof typeof DATA_FILES;
