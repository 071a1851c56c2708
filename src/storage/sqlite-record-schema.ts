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
]);
