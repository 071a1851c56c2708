import { capabilityKey } from '../wire/capability-key.js';
import type { Session, SessionList } from '../wire/sessions.js';
import { momentOf, timeOf } from './local-time.js';
import { printable, printableJson } from './printable.js';
import { type Column, table } from './table.js';

const COLUMNS: readonly Column[] = [
  { heading: 'session', align: 'left' },
  { heading: 'kind', align: 'left' },
  { heading: 'user', align: 'left' },
  { heading: 'revision', align: 'right' },
  { heading: 'changed', align: 'left' },
  { heading: 'kept until', align: 'left' },
  { heading: 'intent', align: 'left' },
];

/** The sessions as a table. Ends with a newline. */
export function sessionsText({ sessions }: SessionList): string {
  if (sessions.length === 0) return 'no sessions\n';
  const rows = sessions.map((session) => [
    session.sessionId,
    session.kind,
    session.userId ?? '-',
    String(session.revision),
    momentOf(session.updatedAt),
    momentOf(session.expiresAt),
    session.intent ?? '-',
  ]);
  return table(COLUMNS, rows);
}

function roundLines({ at, intent, agentName, capabilityId, reply }: Session['rounds'][number]): string[] {
  const by = agentName === null ? 'nobody' : capabilityKey(agentName, capabilityId ?? '?');
  return [`${timeOf(at)}  ${intent ?? '-'}  -> ${by}`, ...(reply === null ? [] : [`          ${reply}`])];
}

/** One session: how it stands, its last rounds, and what agents keep for it. Ends with a newline. */
export function sessionText(session: Session): string {
  const { sessionId, kind, revision, expiresAt, affinity, rounds, summary, entities } = session;
  const version = affinity?.version ? ` ${affinity.version}` : '';
  const lines = [
    `${sessionId}  ${kind}, revision ${revision}, kept until ${momentOf(expiresAt)}`,
    ...(affinity === null ? [] : [`stays with ${affinity.agentName}${version}`]),
    ...rounds.flatMap(roundLines),
    ...(summary === null ? [] : [`summary: ${summary}`]),
  ];
  const kept = Object.keys(entities).length === 0 ? '' : `entities: ${printableJson(entities)}\n`;
  return `${lines.map(printable).join('\n')}\n${kept}`;
}
