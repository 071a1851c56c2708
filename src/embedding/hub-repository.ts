import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReachError } from '../errors.js';

/** Where the files of a model are fetched from: a model hub's address, and the model's id there. */
export class HubRepository {
  readonly #hub: string;
  readonly #hubId: string;

  constructor(hub: string, hubId: string) {
    this.#hub = hub.replace(/\/+$/, '');
    this.#hubId = hubId;
  }

  /**
   * Downloads a file into `folder`, under its own path. False where the model has no such file.
   * @throws ReachError MODEL_INVALID where the hub cannot be reached, refuses, or breaks off.
   */
  async download(file: string, folder: string): Promise<boolean> {
    const address = `${this.#hub}/${this.#hubId}/resolve/main/${file}`;
    const target = join(folder, file);
    try {
      const response = await fetch(address);
      if (response.status === 404) return false;
      if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(Readable.fromWeb(response.body), createWriteStream(target));
      return true;
    } catch (error) {
      throw new ReachError('MODEL_INVALID', `${address} cannot be downloaded: ${reasonOf(error)}.`, {
        cause: error,
      });
    }
  }
}

/** The words that name the cause: fetch itself only says that it failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || String((cause as NodeJS.ErrnoException).code);
}
