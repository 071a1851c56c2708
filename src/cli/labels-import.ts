import { CapabilityNames } from '../evaluation/capability-names.js';
import { NO_LANGUAGE } from '../evaluation/labelled-query.js';
import { readQueryFile } from '../evaluation/query-file.js';
import { unknownLabels } from '../evaluation/query-survey.js';
import { fieldTypesOf } from '../live/payload-types.js';
import type { FileFault } from '../manifest/check-manifests.js';
import type { AgentList } from '../wire/agents.js';
import type { LabelAddition } from '../wire/labels.js';
import { LIMITS } from '../wire/limits.js';

type WrittenLabel = LabelAddition['labels'][number];

/** More faults help nobody. */
const TOLD_FAULTS = 50;
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
  const names = new CapabilityNames(agents);
  const labels: WrittenLabel[] = [];
  const faults: FileFault[] = [];
  let faultyLines = 0;
  for await (const line of readQueryFile(file)) {
    const found = line.kind === 'faulty' ? line.faults : unknownLabels(file, line.query, names);
    if (found.length > 0) faultyLines += 1;
    faults.push(...found.slice(0, TOLD_FAULTS - faults.length));
    if (line.kind === 'faulty') continue;
    const { intent, payload, expected, lang } = line.query;
    if (labels.length === LIMITS.labels) {
      const message = `more than the ${LIMITS.labels} labels that a server keeps`;
      return {
        labels,
        faults: [...faults, { file, line: line.query.line, pointer: '', message }],
        faultyLines,
      };
    }
    labels.push({
      intent,
      // Where a line names none, the server says what it looks like.
      ...(lang !== NO_LANGUAGE && { lang }),
      payloadFields: payload && fieldTypesOf(payload),
      expected: [...expected],
    });
  }
  return { labels, faults, faultyLines };
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
