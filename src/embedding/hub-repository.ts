import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReachError } from '../errors.js';

/** A hub that sends nothing for this long is given up; a whole file may take as long as the line needs. */
const SILENCE_MS = 60_000;

/** Where the files of a model are fetched from: a model hub's address, and the model's id there. */
export class HubRepository {
  readonly #hub: string;
  readonly #hubId: string;
  readonly #silenceMs: number;

  constructor(hub: string, hubId: string, silenceMs = SILENCE_MS) {
    this.#hub = hub.replace(/\/+$/, '');
    this.#hubId = hubId;
    this.#silenceMs = silenceMs;
  }

  /**
   * Downloads a file into `folder`, under its own path. False where the model has no such file.
   * @throws ReachError MODEL_INVALID where the hub cannot be reached, refuses, breaks off, or falls silent.
   */
  async download(file: string, folder: string): Promise<boolean> {
    const address = `${this.#hub}/${this.#hubId}/resolve/main/${file}`;
    const target = join(folder, file);
    const ending = new AbortController();
    const silence = setTimeout(
      () => ending.abort(new Error(`nothing came for ${this.#silenceMs / 1_000} s`)),
      this.#silenceMs,
    );
    async function* heard(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        silence.refresh();
        yield chunk;
      }
    }
    try {
      const response = await fetch(address, { signal: ending.signal });
      if (response.status === 404) return false;
      if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(Readable.fromWeb(response.body), heard, createWriteStream(target));
      return true;
    } catch (error) {
      throw new ReachError('MODEL_INVALID', `${address} cannot be downloaded: ${reasonOf(error)}.`, {
        cause: error,
      });
    } finally {
      clearTimeout(silence);
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
