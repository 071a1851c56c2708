import { CapabilityNames } from '../evaluation/capability-names.js';
import { NO_LANGUAGE } from '../evaluation/labelled-query.js';
import { QueryFaults } from '../evaluation/query-faults.js';
import { readQueryFile } from '../evaluation/query-file.js';
import { fieldTypesOf } from '../live/payload-types.js';
import type { FileFault } from '../manifest/check-manifests.js';
import type { AgentList } from '../wire/agents.js';
import type { LabelAddition } from '../wire/labels.js';
import { LIMITS } from '../wire/limits.js';

type WrittenLabel = LabelAddition['labels'][number];

/** Of the labels of one call, as JSON: what surrounds them has room beside. */
const CALL_BYTES = LIMITS.bodyBytes - 1_024;

/** What a file of labels holds: all of it, or what is wrong with it. */
interface ReadLabels {
  readonly labels: readonly WrittenLabel[];
  /** The first faults. */
  readonly faults: readonly FileFault[];
  /** Lines that have one. */
  readonly faultyLines: number;
}

/**
 * Reads a file of labels or queries for a catalogue; of payloads only names and types.
 * @throws the file system's error
 */
export async function readLabels(file: string, { agents }: Pick<AgentList, 'agents'>): Promise<ReadLabels> {
  const found = new QueryFaults(file, new CapabilityNames(agents));
  const labels: WrittenLabel[] = [];
  for await (const line of readQueryFile(file)) {
    found.look(line);
    if (line.kind === 'faulty') continue;
    const { intent, payload, expected, lang } = line.query;
    if (labels.length === LIMITS.labels) {
      const message = `more than the ${LIMITS.labels} labels that a server keeps`;
      const tooMany = { file, line: line.query.line, pointer: '', message };
      return { labels, faults: [...found.faults, tooMany], faultyLines: found.faultyLines };
    }
    labels.push({
      intent,
      // Where a line names none, the server says what it looks like.
      ...(lang !== NO_LANGUAGE && { lang }),
      payloadFields: payload && fieldTypesOf(payload),
      expected: [...expected],
    });
  }
  return { labels, faults: found.faults, faultyLines: found.faultyLines };
}

/** Labels in as many as one call takes. */
export function* callsOf(labels: readonly WrittenLabel[]): Generator<readonly WrittenLabel[]> {
  let call: WrittenLabel[] = [];
  let bytes = 0;
  for (const label of labels) {
    const own = Buffer.byteLength(JSON.stringify(label)) + 1;
    if (call.length === LIMITS.labelItems || (call.length > 0 && bytes + own > CALL_BYTES)) {
      yield call;
      call = [];
      bytes = 0;
    }
    call.push(label);
    bytes += own;
  }
  if (call.length > 0) yield call;
}
