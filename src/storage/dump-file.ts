import { randomUUID } from 'node:crypto';
import { ReachError } from '../errors.js';
import { DUMP_KINDS, type DumpKind, type DumpRow, type StoreDump } from './store-dump.js';

const FORMAT = 'agent-reach-store';
/** Of the lines: one that changes what they hold counts on. */
const FORMAT_VERSION = 1;
/** Rows that are restored in one step, and characters of them: vectors and manifests are long. */
const SLICE_ROWS = 200;
const SLICE_CHARS = 1_000_000;

/** The first line. `id`: which export this is. */
interface Header {
  readonly format: typeof FORMAT;
  readonly formatVersion: number;
  readonly id: string;
  readonly version: string;
  readonly at: string;
  readonly from: string;
}

/** How many there are of each kind. */
export type DumpCounts = Readonly<Partial<Record<DumpKind, number>>>;

/** The lines of a file that holds all of a store: a header, each row, and how many there are, so that a cut one is told. */
export async function* dumpLines(from: StoreDump, version: string, atMs: number): AsyncGenerator<string> {
  refuseToReadUnfinished(from, await from.importing());
  const header: Header = {
    ...{ format: FORMAT, formatVersion: FORMAT_VERSION, id: randomUUID() },
    ...{ version, at: new Date(atMs).toISOString(), from: from.place },
  };
  yield JSON.stringify(header);
  const counts: Partial<Record<DumpKind, number>> = {};
  for await (const row of from.dump()) {
    counts[row.kind] = (counts[row.kind] ?? 0) + 1;
    yield JSON.stringify(row);
  }
  yield JSON.stringify({ counts });
}

function refuseToReadUnfinished({ place }: StoreDump, importId: string | undefined): void {
  if (importId === undefined) return;
  throw new ReachError('STORE_UNAVAILABLE', `${place} holds only a part: an import into it was broken off.`);
}

/**
 * Restores a file into an empty store. All of the file is checked before anything is written. What was broken off goes on
 * with the same file. `lines`: reads the file from its beginning.
 * @throws ReachError INVALID_REQUEST where the file is none of ours, cut or changed; STORE_UNAVAILABLE where the store is
 * not empty or fails
 */
export async function restoreLines(lines: () => AsyncIterable<string>, into: StoreDump): Promise<DumpCounts> {
  const { header, counts } = await checked(lines());
  const begun = await into.importing();
  if (begun !== undefined && begun !== header.id) {
    const detail = `Another file than this was being imported into ${into.place}: go on with that, or empty the store.`;
    throw new ReachError('STORE_UNAVAILABLE', detail);
  }
  if (begun === undefined && !(await isEmpty(into))) {
    const detail = `${into.place} is not empty: a store is imported only into one that holds nothing.`;
    throw new ReachError('STORE_UNAVAILABLE', detail);
  }
  await into.begin(header.id);
  for await (const slice of slicesOf(lines())) await into.restore(slice);
  await into.end();
  return counts;
}

async function isEmpty(store: StoreDump): Promise<boolean> {
  for await (const _ of store.dump()) return false;
  return true;
}

async function checked(lines: AsyncIterable<string>): Promise<{ header: Header; counts: DumpCounts }> {
  let header: Header | undefined;
  let end: DumpCounts | undefined;
  const counts: Partial<Record<DumpKind, number>> = {};
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const value = objectIn(line, number);
    if (header === undefined) header = headerIn(value);
    else if (end !== undefined) throw refusal(`line ${number} comes after its end`);
    else if ('counts' in value) end = value.counts as DumpCounts;
    else if (isRow(value)) counts[value.kind] = (counts[value.kind] ?? 0) + 1;
    else throw refusal(`line ${number} is nothing that a store keeps`);
  }
  if (header === undefined) throw refusal('it is empty');
  if (end === undefined) throw refusal('its end is missing: it was cut');
  for (const kind of DUMP_KINDS) {
    const [found, told] = [counts[kind] ?? 0, end[kind] ?? 0];
    if (found !== told) throw refusal(`it has ${found} lines of ${kind}, and ${told} were written`);
  }
  return { header, counts };
}

async function* slicesOf(lines: AsyncIterable<string>): AsyncGenerator<readonly DumpRow[]> {
  let slice: DumpRow[] = [];
  let chars = 0;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const row = objectIn(line, number);
    if (!isRow(row)) continue;
    const isFull = slice.length === SLICE_ROWS || chars > SLICE_CHARS;
    if (slice.length > 0 && (isFull || slice[0]?.kind !== row.kind)) {
      yield slice;
      [slice, chars] = [[], 0];
    }
    slice.push(row);
    chars += line.length;
  }
  if (slice.length > 0) yield slice;
}

function objectIn(line: string, number: number): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Told below, as what is JSON and no object.
  }
  throw refusal(`line ${number} is no JSON object`);
}

function headerIn(value: object): Header {
  const { format, formatVersion, id } = value as Partial<Header>;
  if (format !== FORMAT || typeof id !== 'string') throw refusal('its first line is not that of an export');
  if (formatVersion !== FORMAT_VERSION)
    throw refusal(`its format has version ${formatVersion}, and this Agent-Reach reads ${FORMAT_VERSION}`);
  return value as Header;
}

function isRow(value: object): value is DumpRow {
  const { kind, team, row } = value as Partial<DumpRow>;
  return (
    DUMP_KINDS.some((each) => each === kind) &&
    typeof team === 'string' &&
    typeof row === 'object' &&
    row !== null
  );
}

function refusal(why: string): ReachError {
  return new ReachError('INVALID_REQUEST', `The file cannot be imported: ${why}. Nothing was changed.`);
}
