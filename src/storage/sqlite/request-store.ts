import { randomBytes } from 'node:crypto';
import { isFinal, type RequestState } from '../../requests/request-state.js';
import type {
  RequestStore,
  RequestSummary,
  StoredRequest,
  UnfinishedRequest,
} from '../../requests/request-store.js';
import type { Lane } from '../../wire/dispatch.js';
import { askedOf, progressOf, storedRequest } from '../request-documents.js';
import { GroupCommit } from './group-commit.js';
import type { SqliteFile } from './sqlite-file.js';

/** Rows that are let go of, or looked after, before others have their turn. */
const SLICE = 500;

interface Row {
  readonly asked: string;
  readonly progress: string;
}

/** Requests in a SQLite file. What is written at the same time waits for the disk once. */
export class SqliteRequestStore implements RequestStore {
  readonly #file: SqliteFile;
  readonly #commits: GroupCommit;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#commits = new GroupCommit(file);
    this.#statements = prepareStatements(file);
  }

  async secret(team: string): Promise<string> {
    return this.#file.transaction(() => {
      this.#statements.addSecret.run(team, randomBytes(32).toString('hex'));
      return (this.#statements.secret.get(team) as { secret: string }).secret;
    });
  }

  async create(team: string, request: StoredRequest): Promise<StoredRequest | undefined> {
    const { requestId, acceptedAtMs, lane, mode } = request;
    const asked = askedOf(request);
    return this.#commits.transaction(() => {
      const existing = this.#found(team, requestId);
      if (existing !== undefined) return existing;
      const facts = { requestId, acceptedAtMs, lane, mode, asked };
      this.#statements.create.run({ team, ...facts, ...requestColumns(request) });
      return undefined;
    });
  }

  async save(team: string, request: StoredRequest): Promise<boolean> {
    const { requestId, revision } = request;
    const columns = requestColumns(request);
    return this.#commits.transaction(() => {
      const row = { team, requestId, before: revision - 1, ...columns };
      return this.#statements.save.run(row).changes === 1;
    });
  }

  async remove(team: string, requestId: string): Promise<void> {
    await this.#commits.transaction(() => this.#statements.remove.run(team, requestId));
  }

  async find(team: string, requestId: string): Promise<StoredRequest | undefined> {
    return this.#file.read(() => this.#found(team, requestId));
  }

  async list(
    team: string,
    { state, limit }: { readonly state?: RequestState; readonly limit: number },
  ): Promise<RequestSummary[]> {
    return this.#file.read(() => {
      const { list, listOf } = this.#statements;
      return (
        state === undefined ? list.all(team, limit) : listOf.all(team, state, limit)
      ) as RequestSummary[];
    });
  }

  async unfinished(team: string): Promise<UnfinishedRequest[]> {
    return this.#file.read(() => {
      const rows = this.#statements.due.all(team) as {
        requestId: string;
        lane: Lane;
        owner: string | null;
      }[];
      return rows.map(({ owner, ...row }) => ({ ...row, owner: owner ?? undefined }));
    });
  }

  async overdue(team: string, beforeMs: number): Promise<string[]> {
    return this.#file.read(() => {
      const rows = this.#statements.overdue.all(team, beforeMs, SLICE) as { requestId: string }[];
      return rows.map(({ requestId }) => requestId);
    });
  }

  async prune(team: string, acceptedBeforeMs: number): Promise<boolean> {
    return this.#file.soon(() => this.#statements.prune.run(team, acceptedBeforeMs, SLICE).changes === SLICE);
  }

  #found(team: string, requestId: string): StoredRequest | undefined {
    const row = this.#statements.find.get(team, requestId) as Row | undefined;
    return row && storedRequest(row.asked, row.progress);
  }
}

/** The columns that change while a request is under way. */
export function requestColumns(request: StoredRequest) {
  const { deadlineAtMs, state, callbackDue, revision } = request;
  const hasEnded = Number(isFinal(state));
  const isDue = Number(hasEnded === 0 || callbackDue);
  return { deadlineAtMs, state, hasEnded, isDue, revision, progress: progressOf(request) };
}

const SUMMARY =
  'request_id AS requestId, state, lane, mode, accepted_at_ms AS acceptedAtMs, deadline_at_ms AS deadlineAtMs';

function prepareStatements(file: SqliteFile) {
  return {
    addSecret: file.prepare('INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING'),
    secret: file.prepare('SELECT secret FROM secrets WHERE team = ?'),
    create: file.prepare(`
      INSERT INTO requests VALUES (
        NULL, $team, $requestId, $acceptedAtMs, $deadlineAtMs, $state, $hasEnded, $isDue, $lane, $mode, $revision,
        $asked, $progress
      )`),
    save: file.prepare(`
      UPDATE requests SET deadline_at_ms = $deadlineAtMs, state = $state, has_ended = $hasEnded, is_due = $isDue,
        revision = $revision, progress = $progress
      WHERE team = $team AND request_id = $requestId AND revision = $before`),
    remove: file.prepare('DELETE FROM requests WHERE team = ? AND request_id = ?'),
    find: file.prepare('SELECT asked, progress FROM requests WHERE team = ? AND request_id = ?'),
    list: file.prepare(`
      SELECT ${SUMMARY} FROM requests WHERE team = ? ORDER BY accepted_at_ms DESC, seq DESC LIMIT ?`),
    listOf: file.prepare(`
      SELECT ${SUMMARY} FROM requests
      WHERE team = ? AND state = ? ORDER BY accepted_at_ms DESC, seq DESC LIMIT ?`),
    due: file.prepare(`
      SELECT request_id AS requestId, lane, progress ->> 'owner' AS owner FROM requests
      WHERE team = ? AND is_due = 1 ORDER BY seq`),
    overdue: file.prepare(`
      SELECT request_id AS requestId FROM requests
      WHERE team = ? AND has_ended = 0 AND deadline_at_ms < ? ORDER BY deadline_at_ms LIMIT ?`),
    prune: file.prepare(`
      DELETE FROM requests WHERE seq IN (
        SELECT seq FROM requests WHERE team = ? AND accepted_at_ms < ? AND has_ended = 1
        ORDER BY accepted_at_ms LIMIT ?
      )`),
  };
}
