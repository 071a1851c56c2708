import type { FileFault } from '../manifest/check-manifests.js';
import { didYouMean } from '../registry/nearest-names.js';
import { pointerStep } from '../wire/json-pointer.js';
import type { CapabilityNames } from './capability-names.js';
import type { LabelledQuery } from './labelled-query.js';
import type { FileLine } from './query-file.js';

/** More faults help nobody. */
const TOLD_FAULTS = 50;

/** What is wrong with the lines of a file of queries, held against a catalogue. */
export class QueryFaults {
  /** The first ones. */
  readonly faults: FileFault[] = [];
  /** Lines that have one. */
  faultyLines = 0;
  readonly #file: string;
  readonly #names: CapabilityNames;

  constructor(file: string, names: CapabilityNames) {
    this.#file = file;
    this.#names = names;
  }

  look(line: FileLine): void {
    const found = line.kind === 'faulty' ? line.faults : this.#unknownLabels(line.query);
    if (found.length > 0) this.faultyLines += 1;
    this.faults.push(...found.slice(0, TOLD_FAULTS - this.faults.length));
  }

  /** The labels of a query that no capability has. */
  #unknownLabels({ line, expected }: LabelledQuery): FileFault[] {
    return expected.flatMap((label, index) => {
      if (this.#names.keysOf(label).length > 0) return [];
      const message = `no capability is called ${JSON.stringify(label)}.${didYouMean(label, this.#names.ids())}`;
      return [{ file: this.#file, line, pointer: `/expected${pointerStep(index)}`, message }];
    });
  }
}
