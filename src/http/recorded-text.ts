import type { RecordedDecisionWire } from '../wire/records.js';
import { csvLine } from './csv.js';

/** Pieces of so many characters are worth a system call each. */
const PIECE_CHARS = 32_768;

type Cell = (decision: RecordedDecisionWire) => string | number | null;

/** The columns of a CSV file, in order. What has parts of its own stands there as JSON. */
const COLUMNS: Readonly<Record<string, Cell>> = {
  route_id: ({ route_id }) => route_id,
  at: ({ at }) => at,
  intent: ({ intent }) => intent,
  payload_fields: ({ payload_fields }) => JSON.stringify(payload_fields),
  user: ({ user }) => user,
  outcome: ({ outcome }) => outcome,
  target_agent: ({ target_agent }) => target_agent,
  capability_id: ({ capability_id }) => capability_id,
  instance_id: ({ instance_id }) => instance_id,
  addr_version: ({ addr_version }) => addr_version,
  confidence: ({ confidence }) => confidence,
  threshold: ({ threshold }) => threshold,
  score: ({ score }) => score,
  candidates: ({ candidates }) => JSON.stringify(candidates),
  total_ms: ({ timing_ms }) => timing_ms.total,
  catalogue_version: ({ catalogue_version }) => catalogue_version,
  weights_version: ({ weights_version }) => weights_version,
  reported_status: ({ reported }) => reported?.status ?? null,
  reported_latency_ms: ({ reported }) => reported?.latency_ms ?? null,
  reported_right_capability: ({ reported }) => reported?.right_capability ?? null,
  shadow_weights_version: ({ shadow }) => shadow?.weights_version ?? null,
  shadow_outcome: ({ shadow }) => shadow?.outcome ?? null,
  shadow_target_agent: ({ shadow }) => shadow?.target_agent ?? null,
  shadow_capability_id: ({ shadow }) => shadow?.capability_id ?? null,
  shadow_confidence: ({ shadow }) => shadow?.confidence ?? null,
};
const CELLS = Object.values(COLUMNS);

/** The forms in which recorded decisions are told. */
export const RECORDED_TEXT = {
  jsonl: {
    contentType: 'application/jsonl',
    heading: '',
    line: (decision: RecordedDecisionWire) => `${JSON.stringify(decision)}\n`,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    heading: csvLine(Object.keys(COLUMNS)),
    line: (decision: RecordedDecisionWire) => csvLine(CELLS.map((cell) => cell(decision))),
  },
} as const;

/** A heading and lines, joined to pieces that are worth sending. Reads on only when the next piece is taken. */
export async function* inPieces(heading: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = heading;
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** The same pieces, of which the first is there already: what prevents it is thrown now, while it can be answered. */
export async function begun(pieces: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const first = await pieces.next();
  return (async function* () {
    try {
      if (!first.done) yield first.value;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  })();
}
