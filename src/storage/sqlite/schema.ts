/**
 * The steps from an empty file to the newest schema; `PRAGMA user_version` counts those done. A step that has
 * been released is never changed: a new one is added.
 */
export const MIGRATIONS: readonly string[] = Object.freeze([
  `
  -- One row a team; the version grows in the transaction of every change.
  CREATE TABLE catalogues (
    team TEXT PRIMARY KEY,
    version INTEGER NOT NULL
  ) STRICT;

  -- The accepted versions of every manifest, of each agent the newest ones.
  CREATE TABLE manifests (
    team TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    manifest_version INTEGER NOT NULL,
    source TEXT NOT NULL,
    document TEXT NOT NULL,
    published_at_ms INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
    PRIMARY KEY (team, agent_name, manifest_version)
  ) STRICT;

  -- Which of them count now. A removed agent has no row here.
  CREATE TABLE current_manifests (
    team TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    manifest_version INTEGER NOT NULL,
    PRIMARY KEY (team, agent_name),
    FOREIGN KEY (team, agent_name, manifest_version) REFERENCES manifests
  ) STRICT;

  CREATE TABLE vectors (
    model_hash TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (model_hash, text_hash)
  ) STRICT;
  `,
  `
  -- With which change of the catalogue a version became the current one; unknown for those from before this step.
  ALTER TABLE manifests ADD COLUMN catalogue_version INTEGER;
  `,
  `
  -- Instances that registered themselves. Their details are JSON, in which a NUL is an escape.
  CREATE TABLE instances (
    team TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    instance_id TEXT NOT NULL,
    address TEXT NOT NULL,
    addr_version INTEGER NOT NULL,
    details TEXT NOT NULL,
    PRIMARY KEY (team, agent_name, instance_id)
  ) STRICT;
  `,
  `
  -- What is remembered of conversations. Its parts are JSON, in which a NUL is an escape; the summary is what a list shows.
  CREATE TABLE sessions (
    team TEXT NOT NULL,
    session_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    summary TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (team, session_id)
  ) STRICT;
  CREATE INDEX sessions_by_change ON sessions (team, updated_at_ms);
  CREATE INDEX sessions_by_end ON sessions (team, expires_at_ms);
  `,
  `
  -- Messages to addresses that others named. One that has ended keeps what became of it, and neither text nor address.
  CREATE TABLE outbox (
    team TEXT NOT NULL,
    message_id TEXT NOT NULL,
    host TEXT NOT NULL,
    message TEXT,
    chars INTEGER NOT NULL,
    delivery TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at_ms INTEGER,
    ended_at_ms INTEGER,
    PRIMARY KEY (team, message_id)
  ) STRICT;
  CREATE INDEX outbox_due ON outbox (team, due_at_ms, host, chars) WHERE due_at_ms IS NOT NULL;
  CREATE INDEX outbox_ended ON outbox (team, ended_at_ms) WHERE ended_at_ms IS NOT NULL;

  -- Questions for people. One cause has one ticket that is not resolved; a resolved one has no cause any more.
  CREATE TABLE tickets (
    team TEXT NOT NULL,
    ticket_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    cause_key TEXT,
    last_at_ms INTEGER NOT NULL,
    claimed_until_ms INTEGER,
    resolved_at_ms INTEGER,
    document TEXT NOT NULL,
    PRIMARY KEY (team, ticket_id)
  ) STRICT;
  CREATE UNIQUE INDEX tickets_by_cause ON tickets (team, cause_key) WHERE cause_key IS NOT NULL;
  CREATE INDEX tickets_by_time ON tickets (team, last_at_ms);
  CREATE INDEX tickets_claimed ON tickets (team, claimed_until_ms) WHERE claimed_until_ms IS NOT NULL;
  CREATE INDEX tickets_resolved ON tickets (team, resolved_at_ms) WHERE resolved_at_ms IS NOT NULL;
  `,
  `
  -- Weights that were put into force. The summary is all but the weights; both are JSON, in which a NUL is an escape.
  CREATE TABLE tuning_versions (
    team TEXT NOT NULL,
    number INTEGER NOT NULL,
    rolled_back_at_ms INTEGER,
    summary TEXT NOT NULL,
    weights TEXT NOT NULL,
    PRIMARY KEY (team, number)
  ) STRICT;

  -- Of a team at most one: the weights that answer beside those in force.
  CREATE TABLE shadow_weights (
    team TEXT PRIMARY KEY,
    weights TEXT NOT NULL,
    since_ms INTEGER NOT NULL
  ) STRICT;
  `,
]);
