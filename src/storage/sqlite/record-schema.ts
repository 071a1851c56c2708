/** As MIGRATIONS of the store's file: the steps of the file of records. */
export const RECORD_MIGRATIONS: readonly string[] = Object.freeze([
  `
  CREATE TABLE salts (
    team TEXT PRIMARY KEY,
    salt TEXT NOT NULL
  ) STRICT;

  -- seq counts the rows: of all that were ever written, only the oldest are taken away.
  CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY,
    team TEXT NOT NULL,
    route_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    target_agent TEXT,
    document TEXT NOT NULL,
    reported TEXT,
    UNIQUE (team, route_id)
  ) STRICT;
  CREATE INDEX decisions_by_time ON decisions (team, at_ms, route_id);
  CREATE INDEX decisions_by_agent ON decisions (team, target_agent, at_ms, route_id);

  -- period_ms: how long the minute, hour or day is that begins at at_ms.
  CREATE TABLE trends (
    team TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    period_ms INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    reachability_sum REAL NOT NULL,
    reachability_min REAL NOT NULL,
    eligible INTEGER NOT NULL,
    registered INTEGER NOT NULL,
    routed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (team, agent_name, period_ms, at_ms)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trends_by_time ON trends (team, period_ms, at_ms);
  `,
  `
  -- What other weights would have decided. seq is that of the decision: a table of its own, since a column or an index
  -- of millions of old decisions would keep the start waiting.
  CREATE TABLE shadows (
    seq INTEGER PRIMARY KEY,
    team TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    route_id TEXT NOT NULL,
    differs INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
  CREATE INDEX shadows_differing ON shadows (team, at_ms, route_id) WHERE differs;
  CREATE TRIGGER shadows_go_with_decisions AFTER DELETE ON decisions BEGIN
    DELETE FROM shadows WHERE seq = old.seq;
  END;

  CREATE TABLE shadow_tallies (
    team TEXT NOT NULL,
    hour_ms INTEGER NOT NULL,
    weights_version TEXT NOT NULL,
    shadow_version TEXT NOT NULL,
    compared INTEGER NOT NULL,
    differing INTEGER NOT NULL,
    PRIMARY KEY (team, hour_ms, weights_version, shadow_version)
  ) STRICT, WITHOUT ROWID;
  `,
]);
