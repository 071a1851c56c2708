import type { FileFault } from '../manifest/check-manifests.js';
import { LIMITS } from '../wire/limits.js';
import type { LabelledQuery } from './labelled-query.js';
import { readQueryLine } from './query-line.js';
import { textLines } from './text-lines.js';

/** What stands in one line of a file of queries. Blank lines are passed over. */
export type FileLine =
  | { readonly kind: 'query'; readonly query: LabelledQuery; readonly unread: readonly string[] }
  | { readonly kind: 'faulty'; readonly faults: readonly FileFault[] };

/** Reads a file of queries line by line, whatever its size. @throws the file system's error */
export async function* readQueryFile(file: string): AsyncGenerator<FileLine> {
  for await (const { line, ...read } of textLines(file, LIMITS.bodyBytes)) {
    if (read.kind === 'fault') {
      yield { kind: 'faulty', faults: [{ file, line, pointer: '', message: read.fault }] };
    } else if (read.text.trim() !== '') {
      const found = readQueryLine(read.text, line);
      yield found.kind === 'query'
        ? found
        : { kind: 'faulty', faults: found.faults.map((fault) => ({ file, line, ...fault })) };
    }
  }
}

/** The queries of a file that is known to have no faults. */
export async function* queriesOf(file: string): AsyncGenerator<LabelledQuery> {
  for await (const line of readQueryFile(file)) if (line.kind === 'query') yield line.query;
}
