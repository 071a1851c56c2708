/** As MIGRATIONS of the store's file: the steps of the file of requests. */
export const REQUEST_MIGRATIONS: readonly string[] = Object.freeze([
  `
  CREATE TABLE secrets (
    team TEXT PRIMARY KEY,
    secret TEXT NOT NULL
  ) STRICT;

  -- What was asked stands apart from how far it is: only that is written again. Both are JSON.
  -- is_due: it has not ended, or whoever asked to be told of its end has not been told.
  CREATE TABLE requests (
    seq INTEGER PRIMARY KEY,
    team TEXT NOT NULL,
    request_id TEXT NOT NULL,
    accepted_at_ms INTEGER NOT NULL,
    deadline_at_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    has_ended INTEGER NOT NULL,
    is_due INTEGER NOT NULL,
    lane TEXT NOT NULL,
    mode TEXT NOT NULL,
    revision INTEGER NOT NULL,
    asked TEXT NOT NULL,
    progress TEXT NOT NULL,
    UNIQUE (team, request_id)
  ) STRICT;
  CREATE INDEX requests_by_time ON requests (team, accepted_at_ms, seq);
  CREATE INDEX requests_by_state ON requests (team, state, accepted_at_ms, seq);
  CREATE INDEX requests_by_deadline ON requests (team, deadline_at_ms) WHERE has_ended = 0;
  CREATE INDEX requests_due ON requests (team, seq) WHERE is_due = 1;

  -- Asynchronous requests that are to be carried out, in this order.
  CREATE TABLE work (
    seq INTEGER PRIMARY KEY,
    team TEXT NOT NULL,
    request_id TEXT NOT NULL,
    lane TEXT NOT NULL,
    UNIQUE (team, request_id)
  ) STRICT;
  `,
]);
