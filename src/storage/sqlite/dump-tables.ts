import { isWritten } from '../../labels/stored-label.js';
import { hostOf } from '../../outbox/message.js';
import { PERIOD_NAMES, PERIODS } from '../../record/trend-store.js';
import type { ManifestSource } from '../../registry/catalogue.js';
import type { Lane } from '../../wire/dispatch.js';
import { askedOf, progressOf, storedRequest } from '../request-documents.js';
import type { DumpKind, DumpRows } from '../store-dump.js';
import type { DataFile } from './data-files.js';
import { requestColumns } from './request-store.js';
import { sessionTexts } from './session-store.js';
import { ticketColumns } from './ticket-store.js';

export type Column = string | number | null | Uint8Array;

/** The columns of all tables, as SQLite gives them. */
interface Columns {
  readonly version: number;
  readonly agent_name: string;
  readonly manifest_version: number;
  readonly source: ManifestSource;
  readonly document: string;
  readonly published_at_ms: number;
  readonly catalogue_version: number | null;
  readonly current: 0 | 1;
  readonly instance_id: string;
  readonly address: string;
  readonly addr_version: number;
  readonly details: string;
  readonly summary: string;
  readonly message_id: string;
  readonly message: string | null;
  readonly delivery: string;
  readonly due_at_ms: number | null;
  readonly ended_at_ms: number | null;
  readonly number: number;
  readonly rolled_back_at_ms: number | null;
  readonly weights: string;
  readonly since_ms: number;
  readonly secret: string;
  readonly asked: string;
  readonly progress: string;
  readonly request_id: string;
  readonly lane: Lane;
  readonly salt: string;
  readonly hour_ms: number;
  readonly weights_version: string;
  readonly shadow_version: string;
  readonly compared: number;
  readonly differing: number;
  readonly period_ms: number;
  readonly at_ms: number;
  readonly samples: number;
  readonly reachability_sum: number;
  readonly reachability_min: number;
  readonly eligible: number;
  readonly registered: number;
  readonly routed: number;
  readonly failed: number;
  readonly model_hash: string;
  readonly text_hash: string;
  readonly vector: Uint8Array;
}

/** How a kind lies in its file: each row of it is one of `select`, and is kept by `insert`. */
interface Table<Row> {
  readonly file: DataFile;
  readonly select: string;
  readonly insert: string;
  readonly rowOf: (columns: Columns) => Row;
  readonly columnsOf: (team: string, row: Row) => readonly Column[];
}

const json = JSON.stringify;

/** An insert into these columns; what is there already stays as it is. */
function insertInto(table: string, columns: string): string {
  const places = columns.split(',').map(() => '?');
  return `INSERT INTO ${table} (${columns}) VALUES (${places}) ON CONFLICT DO NOTHING`;
}

/** Kinds of which each row is one row of one table. */
export const DUMP_TABLES: { readonly [Kind in Exclude<DumpKind, 'decision'>]: Table<DumpRows[Kind]> } = {
  sequence: {
    file: 'store',
    select: 'SELECT team, version FROM catalogues ORDER BY team',
    insert: insertInto('catalogues', 'team, version'),
    rowOf: ({ version }) => ({ version }),
    columnsOf: (team, { version }) => [team, version],
  },
  manifest: {
    file: 'store',
    select: `
      SELECT manifests.*, current_manifests.manifest_version IS NOT NULL AS current
      FROM manifests LEFT JOIN current_manifests USING (team, agent_name, manifest_version)
      ORDER BY team, agent_name, manifest_version`,
    insert: insertInto(
      'manifests',
      'team, agent_name, manifest_version, source, document, published_at_ms, catalogue_version',
    ),
    rowOf: (columns) => ({
      agentName: columns.agent_name,
      manifestVersion: columns.manifest_version,
      source: columns.source,
      document: JSON.parse(columns.document),
      publishedAtMs: columns.published_at_ms,
      catalogueVersion: columns.catalogue_version,
      current: columns.current === 1,
    }),
    columnsOf: (team, { agentName, manifestVersion, source, document, publishedAtMs, catalogueVersion }) => [
      ...[team, agentName, manifestVersion, source, json(document), publishedAtMs, catalogueVersion],
    ],
  },
  instance: {
    file: 'store',
    select: 'SELECT * FROM instances ORDER BY team, agent_name, instance_id',
    insert: insertInto('instances', 'team, agent_name, instance_id, address, addr_version, details'),
    rowOf: ({
      agent_name: agentName,
      instance_id: instanceId,
      address,
      addr_version: addrVersion,
      details,
    }) => ({
      ...{ agentName, instanceId, address, addrVersion },
      ...JSON.parse(details),
    }),
    columnsOf: (team, { agentName, instanceId, address, addrVersion, ...details }) => [
      ...[team, agentName, instanceId, address, addrVersion, json(details)],
    ],
  },
  session: {
    file: 'store',
    select: 'SELECT * FROM sessions ORDER BY team, session_id',
    insert: insertInto(
      'sessions',
      'team, session_id, revision, updated_at_ms, expires_at_ms, summary, document',
    ),
    rowOf: ({ summary, document }) => ({ ...JSON.parse(summary), ...JSON.parse(document) }),
    columnsOf: (team, session) => [
      ...[team, session.sessionId, session.revision, session.updatedAtMs, session.expiresAtMs],
      ...sessionTexts(session),
    ],
  },
  message: {
    file: 'store',
    select: 'SELECT * FROM outbox ORDER BY team, message_id',
    insert: insertInto(
      'outbox',
      'team, message_id, host, message, chars, delivery, attempts, due_at_ms, ended_at_ms',
    ),
    rowOf: ({ message_id: messageId, message, delivery, due_at_ms: dueAtMs, ended_at_ms: endedAtMs }) => ({
      ...{ messageId, message: message === null ? null : JSON.parse(message) },
      ...{ delivery: JSON.parse(delivery), dueAtMs, endedAtMs },
    }),
    columnsOf: (team, { messageId, message, delivery, dueAtMs, endedAtMs }) => [
      ...[team, messageId, message === null ? '' : hostOf(message), message === null ? null : json(message)],
      ...[message?.body.length ?? 0, json(delivery), delivery.attempts, dueAtMs, endedAtMs],
    ],
  },
  ticket: {
    file: 'store',
    select: 'SELECT team, document FROM tickets ORDER BY team, ticket_id',
    insert: insertInto(
      'tickets',
      'team, ticket_id, revision, state, cause_key, last_at_ms, claimed_until_ms, resolved_at_ms, document',
    ),
    rowOf: ({ document }) => JSON.parse(document),
    columnsOf: (team, ticket) => [team, ticket.ticketId, ...ticketColumns(ticket), json(ticket)],
  },
  tuning: {
    file: 'store',
    select: 'SELECT * FROM tuning_versions ORDER BY team, number',
    insert: insertInto('tuning_versions', 'team, number, rolled_back_at_ms, summary, weights'),
    rowOf: ({ number, rolled_back_at_ms: rolledBackAtMs, summary, weights }) => ({
      ...JSON.parse(summary),
      ...{ number, rolledBackAtMs, weights: JSON.parse(weights) },
    }),
    columnsOf: (team, { number, rolledBackAtMs, weights, ...summary }) => [
      ...[team, number, rolledBackAtMs, json(summary), json(weights)],
    ],
  },
  shadowWeights: {
    file: 'store',
    select: 'SELECT * FROM shadow_weights ORDER BY team',
    insert: insertInto('shadow_weights', 'team, weights, since_ms'),
    rowOf: ({ weights, since_ms: sinceMs }) => ({ weights: JSON.parse(weights), sinceMs }),
    columnsOf: (team, { weights, sinceMs }) => [team, json(weights), sinceMs],
  },
  label: {
    file: 'labels',
    select: 'SELECT team, document FROM labels ORDER BY team, at_ms, label_id',
    insert: insertInto('labels', 'team, label_id, at_ms, source, is_written, document'),
    rowOf: ({ document }) => JSON.parse(document),
    columnsOf: (team, label) => [
      ...[team, label.labelId, label.atMs, label.source, Number(isWritten(label)), json(label)],
    ],
  },
  requestSecret: {
    file: 'requests',
    select: 'SELECT team, secret FROM secrets ORDER BY team',
    insert: insertInto('secrets', 'team, secret'),
    rowOf: ({ secret }) => ({ secret }),
    columnsOf: (team, { secret }) => [team, secret],
  },
  request: {
    file: 'requests',
    select: 'SELECT team, asked, progress FROM requests ORDER BY seq',
    insert: insertInto(
      'requests',
      'team, request_id, accepted_at_ms, lane, mode, asked, deadline_at_ms, state, has_ended, is_due, revision, progress',
    ),
    rowOf: ({ asked, progress }) => storedRequest(asked, progress),
    columnsOf(team, request) {
      const { requestId, acceptedAtMs, lane, mode } = request;
      const { deadlineAtMs, state, hasEnded, isDue, revision } = requestColumns(request);
      return [
        ...[team, requestId, acceptedAtMs, lane, mode, askedOf(request)],
        ...[deadlineAtMs, state, hasEnded, isDue, revision, progressOf(request)],
      ];
    },
  },
  work: {
    file: 'requests',
    select: 'SELECT * FROM work ORDER BY seq',
    insert: insertInto('work', 'team, request_id, lane'),
    rowOf: ({ request_id: requestId, lane }) => ({ requestId, lane }),
    columnsOf: (team, { requestId, lane }) => [team, requestId, lane],
  },
  recordSalt: {
    file: 'records',
    select: 'SELECT team, salt FROM salts ORDER BY team',
    insert: insertInto('salts', 'team, salt'),
    rowOf: ({ salt }) => ({ salt }),
    columnsOf: (team, { salt }) => [team, salt],
  },
  shadowTally: {
    file: 'records',
    select: 'SELECT * FROM shadow_tallies ORDER BY team, hour_ms, weights_version, shadow_version',
    insert: insertInto(
      'shadow_tallies',
      'team, hour_ms, weights_version, shadow_version, compared, differing',
    ),
    rowOf: ({ hour_ms: hourMs, weights_version, shadow_version, compared, differing }) => ({
      ...{ hourMs, weightsVersion: weights_version, shadowVersion: shadow_version, compared, differing },
    }),
    columnsOf: (team, { hourMs, weightsVersion, shadowVersion, compared, differing }) => [
      ...[team, hourMs, weightsVersion, shadowVersion, compared, differing],
    ],
  },
  trend: {
    file: 'records',
    select: 'SELECT * FROM trends ORDER BY team, agent_name, period_ms, at_ms',
    insert: insertInto(
      'trends',
      'team, agent_name, period_ms, at_ms, samples, reachability_sum, reachability_min, eligible, registered, routed, failed',
    ),
    rowOf: (columns) => ({
      agentName: columns.agent_name,
      period: PERIOD_NAMES.find((name) => PERIODS[name] === columns.period_ms) ?? 'minute',
      atMs: columns.at_ms,
      samples: columns.samples,
      reachabilitySum: columns.reachability_sum,
      reachabilityMin: columns.reachability_min,
      eligible: columns.eligible,
      registered: columns.registered,
      routed: columns.routed,
      failed: columns.failed,
    }),
    columnsOf: (team, { agentName, period, atMs, samples, reachabilitySum, reachabilityMin, ...counts }) => [
      ...[team, agentName, PERIODS[period], atMs, samples, reachabilitySum, reachabilityMin],
      ...[counts.eligible, counts.registered, counts.routed, counts.failed],
    ],
  },
  vector: {
    file: 'store',
    select: "SELECT '' AS team, * FROM vectors ORDER BY model_hash, text_hash",
    insert: insertInto('vectors', 'model_hash, text_hash, vector'),
    rowOf: ({ model_hash: modelHash, text_hash: textHash, vector }) => ({
      ...{ modelHash, textHash, vector: Buffer.from(vector).toString('base64') },
    }),
    columnsOf: (_, { modelHash, textHash, vector }) => [
      ...[modelHash, textHash, Buffer.from(vector, 'base64')],
    ],
  },
};
