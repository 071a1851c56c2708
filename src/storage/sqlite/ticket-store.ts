import type { StoredTicket } from '../../handoff/ticket.js';
import type { TicketQuery, TicketStore } from '../../handoff/ticket-store.js';
import { GroupCommit } from './group-commit.js';
import type { SqliteFile } from './sqlite-file.js';

/** Rows that are read or let go of before others have their turn. */
const SLICE = 500;

interface Row {
  readonly document: string;
}

const ticketIn = ({ document }: Row): StoredTicket => JSON.parse(document);

/** What is looked for in a ticket, by column. */
export function ticketColumns({ causeKey, standing, lastAtMs, revision }: StoredTicket) {
  return [
    revision,
    standing.state,
    standing.state === 'resolved' ? null : causeKey,
    lastAtMs,
    standing.state === 'claimed' ? standing.untilMs : null,
    standing.state === 'resolved' ? standing.atMs : null,
  ] as const;
}

/** Tickets in a SQLite file. */
export class SqliteTicketStore implements TicketStore {
  readonly #file: SqliteFile;
  readonly #commits: GroupCommit;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#commits = new GroupCommit(file);
    this.#statements = prepareStatements(file);
  }

  create(team: string, ticket: StoredTicket, mostUnresolved: number) {
    const { ofCause, count, add } = this.#statements;
    // As JSON text a NUL is an escape: SQLite would cut a bare one and all that follows it.
    const document = JSON.stringify(ticket);
    return this.#commits.transaction((): 'created' | 'taken' | 'full' => {
      if (ofCause.get(team, ticket.causeKey) !== undefined) return 'taken';
      if ((count.get(team) as { count: number }).count >= mostUnresolved) return 'full';
      add.run(team, ticket.ticketId, ...ticketColumns(ticket), document);
      return 'created';
    });
  }

  save(team: string, ticket: StoredTicket): Promise<boolean> {
    const document = JSON.stringify(ticket);
    const key = [team, ticket.ticketId, ticket.revision - 1] as const;
    return this.#commits.transaction(
      () => this.#statements.save.run(...ticketColumns(ticket), document, ...key).changes === 1,
    );
  }

  async find(team: string, ticketId: string): Promise<StoredTicket | undefined> {
    return this.#one(() => this.#statements.find.get(team, ticketId));
  }

  async unresolvedOf(team: string, causeKey: string): Promise<StoredTicket | undefined> {
    return this.#one(() => this.#statements.ofCause.get(team, causeKey));
  }

  async list(team: string, { state, limit }: TicketQuery): Promise<StoredTicket[]> {
    const { list, listOf } = this.#statements;
    return this.#all(() => (state === undefined ? list.all(team, limit) : listOf.all(team, state, limit)));
  }

  async claimsOver(team: string, nowMs: number): Promise<StoredTicket[]> {
    return this.#all(() => this.#statements.claimsOver.all(team, nowMs, SLICE));
  }

  async unresolved(team: string): Promise<number> {
    return this.#file.read(() => (this.#statements.count.get(team) as { count: number }).count);
  }

  async prune(team: string, resolvedBeforeMs: number): Promise<boolean> {
    if (this.#file.read(() => this.#statements.isOld.get(team, resolvedBeforeMs)) === undefined) return false;
    return this.#file.soon(() => this.#statements.prune.run(team, resolvedBeforeMs, SLICE).changes === SLICE);
  }

  #one(row: () => unknown): StoredTicket | undefined {
    const found = this.#file.read(row) as Row | undefined;
    return found && ticketIn(found);
  }

  #all(rows: () => unknown[]): StoredTicket[] {
    return (this.#file.read(rows) as Row[]).map(ticketIn);
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    add: file.prepare(`
      INSERT INTO tickets (team, ticket_id, revision, state, cause_key, last_at_ms, claimed_until_ms,
        resolved_at_ms, document)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    save: file.prepare(`
      UPDATE tickets SET revision = ?, state = ?, cause_key = ?, last_at_ms = ?, claimed_until_ms = ?,
        resolved_at_ms = ?, document = ?
      WHERE team = ? AND ticket_id = ? AND revision = ?`),
    find: file.prepare('SELECT document FROM tickets WHERE team = ? AND ticket_id = ?'),
    ofCause: file.prepare('SELECT document FROM tickets WHERE team = ? AND cause_key = ?'),
    count: file.prepare('SELECT count(*) AS count FROM tickets WHERE team = ? AND cause_key IS NOT NULL'),
    list: file.prepare('SELECT document FROM tickets WHERE team = ? ORDER BY last_at_ms DESC LIMIT ?'),
    listOf: file.prepare(`
      SELECT document FROM tickets WHERE team = ? AND state = ? ORDER BY last_at_ms DESC LIMIT ?`),
    claimsOver: file.prepare(`
      SELECT document FROM tickets WHERE team = ? AND claimed_until_ms <= ? ORDER BY claimed_until_ms LIMIT ?`),
    isOld: file.prepare('SELECT 1 FROM tickets WHERE team = ? AND resolved_at_ms < ? LIMIT 1'),
    prune: file.prepare(`
      DELETE FROM tickets WHERE rowid IN (
        SELECT rowid FROM tickets WHERE team = ? AND resolved_at_ms < ? LIMIT ?
      )`),
  };
}
