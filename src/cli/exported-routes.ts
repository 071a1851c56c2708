import { type RecordedDecision, recordedDecisionCodec } from '../wire/records.js';
import { decoded, jsonOf } from './remote-answer.js';
import { remoteLines } from './remote-lines.js';

/**
 * The recorded decisions of a server, as they come: each with the line that it came in.
 * @throws ReachError SERVER_UNREACHABLE, and what the server answers
 */
export async function* exportedRoutes(
  server: URL,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<{ readonly line: string; readonly decision: RecordedDecision }> {
  const url = new URL('api/v1/routes/export', server);
  url.search = new URLSearchParams(query).toString();
  for await (const line of remoteLines(url))
    yield { line, decision: decoded(url, recordedDecisionCodec, jsonOf(line)) };
}
