import type { FileHandle } from 'node:fs/promises';
import type { Command } from 'commander';
import type { TuneReport } from '../judging/tune-report.js';
import type { Weights } from '../routing/weights.js';
import { opened, openedBy } from './output-files.js';
import { PendingFile } from './pending-file.js';
import { printableJson } from './printable.js';
import type { TuneFlags } from './tune-flags.js';

/** The files that a tuning is written to, opened before it begins. */
export class TuneOutputs {
  readonly #weights: PendingFile | undefined;
  readonly #page: FileHandle | undefined;
  readonly #json: FileHandle | undefined;

  private constructor(weights?: PendingFile, page?: FileHandle, json?: FileHandle) {
    this.#weights = weights;
    this.#page = page;
    this.#json = json;
  }

  /** One that cannot be written is a usage error. */
  static async open({ out, report, json }: TuneFlags, command: Command): Promise<TuneOutputs> {
    const page = await opened(report, command);
    const figures = await opened(json, command);
    const weights = await openedBy((path) => PendingFile.open(path), out, command);
    return new TuneOutputs(weights, page, figures);
  }

  async writeReport(report: TuneReport): Promise<void> {
    if (this.#page !== undefined) {
      // Only now: it draws charts, and no other command does.
      const { tunePage } = await import('../report/tune-page.js');
      await this.#page.appendFile(tunePage(report));
    }
    await this.#json?.appendFile(`${printableJson(report)}\n`);
  }

  /** Whole, in place of what is there. */
  async writeWeights(weights: Weights): Promise<void> {
    await this.#weights?.write(`${JSON.stringify(weights, null, 2)}\n`);
  }

  async close(): Promise<void> {
    await this.#page?.close();
    await this.#json?.close();
    await this.#weights?.close();
  }
}
