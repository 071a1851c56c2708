/** As MIGRATIONS of the store's file: the steps of the file of labels. */
export const LABEL_MIGRATIONS: readonly string[] = Object.freeze([
  `
  -- is_written: a person stands behind it, so that it does not make room for others. The document is JSON.
  CREATE TABLE labels (
    team TEXT NOT NULL,
    label_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    source TEXT NOT NULL,
    is_written INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (team, label_id)
  ) STRICT;
  CREATE INDEX labels_by_time ON labels (team, at_ms, label_id);
  CREATE INDEX labels_by_writing ON labels (team, is_written, at_ms, label_id);
  `,
]);
