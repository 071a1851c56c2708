import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { readQueryLine } from '../evaluation/query-line.js';
import { noServer } from './remote-answer.js';
import { remoteLines } from './remote-lines.js';

/**
 * The labels that a server has kept for so many hours, as queries.
 * @throws ReachError SERVER_UNREACHABLE, and what the server answers
 */
export async function recordedQueries(server: URL, hours: number): Promise<LabelledQuery[]> {
  const url = new URL('api/v1/labels', server);
  url.searchParams.set('hours', String(hours));
  const queries: LabelledQuery[] = [];
  for await (const line of remoteLines(url)) {
    const read = readQueryLine(line, queries.length + 1);
    if (read.kind === 'faulty') throw noServer(url);
    queries.push(read.query);
  }
  return queries;
}
