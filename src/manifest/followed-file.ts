import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { type DocumentText, readDocumentBytes, readDocumentText } from './read-document.js';

/** What became of a file since the last look. */
export type FileChange =
  | { readonly kind: 'content'; readonly text: DocumentText }
  | { readonly kind: 'gone' };

export interface FileLook {
  /** Undefined where nothing has changed and settled. */
  readonly change: FileChange | undefined;
  /** It is being written or replaced right now: look again soon. */
  readonly unsettled: boolean;
}

/** A file must keep its size and time for this long before it is read. */
const SETTLE_MS = 80;
/** Content that cannot be parsed, or a missing file, must stay so for this long: saves are not always atomic. */
const DOUBT_MS = 300;
/** A file system's clock may be coarse: a file written this shortly before it was read may change unseen. */
const COARSE_MS = 2_000;

interface Known {
  readonly stamp: string;
  readonly hash: string;
  readonly trusted: boolean;
}

interface Content {
  readonly hash: string;
  readonly parse: () => DocumentText;
}

/** How long the same has been seen, before it is acted on. */
class Patience {
  #last: { readonly about: string; readonly since: number } | undefined;

  /** True until the same has been said for `ms`. */
  waits(about: string, ms: number): boolean {
    const now = performance.now();
    if (this.#last?.about !== about) this.#last = { about, since: now };
    return now - this.#last.since < ms;
  }

  end(): void {
    this.#last = undefined;
  }
}

/** One file that people and programs write while it is read: tells what has changed from look to look. */
export class FollowedFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #settling = new Patience();
  readonly #doubt = new Patience();
  #known: Known | undefined;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Whether its content was told, and not yet that it is gone. */
  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** Takes the file as it stands. */
  async first(): Promise<FileChange | undefined> {
    return (await this.#look(0, 0)).change;
  }

  /** What has changed and settled. */
  look(): Promise<FileLook> {
    return this.#look(SETTLE_MS, DOUBT_MS);
  }

  /** Takes the file for unread, so that the next look tells its content again. */
  forget(): void {
    if (this.#known !== undefined) this.#known = { ...this.#known, hash: '', trusted: false };
  }

  async #look(settleMs: number, doubtMs: number): Promise<FileLook> {
    const known = this.#known;
    const stats = await stat(this.#path, { bigint: true }).catch(() => undefined);
    if (stats === undefined || !stats.isFile()) {
      if (known === undefined) return NOTHING_NEW;
      if (this.#doubt.waits('gone', doubtMs)) return NOT_SETTLED;
      this.#known = undefined;
      this.#doubt.end();
      return told({ kind: 'gone' });
    }
    const stamp = `${stats.mtimeNs} ${stats.size} ${stats.ino}`;
    const isSame = known?.stamp === stamp;
    if (isSame && known.trusted) {
      this.#doubt.end();
      this.#settling.end();
      return NOTHING_NEW;
    }
    if (!isSame && this.#settling.waits(stamp, settleMs)) return NOT_SETTLED;
    const { hash, parse } = await this.#content();
    // Changed since it was looked at, or within what a coarse clock sees: it may be half of what is being written.
    const isOvertaken = isSame && hash !== known.hash;
    if (isOvertaken && this.#settling.waits(hash, settleMs)) return NOT_SETTLED;
    const trusted = Date.now() - Number(stats.mtimeMs) > COARSE_MS;
    if (hash === known?.hash) {
      this.#known = { stamp, hash, trusted };
      return NOTHING_NEW;
    }
    const text = parse();
    if (text.kind === 'unreadable' && this.#doubt.waits(hash, doubtMs)) return NOT_SETTLED;
    this.#known = { stamp, hash, trusted };
    return told({ kind: 'content', text });
  }

  async #content(): Promise<Content> {
    try {
      const bytes = await readDocumentBytes(this.#path, this.#maxBytes);
      const hash = createHash('sha256').update(bytes).digest('hex');
      return { hash, parse: () => readDocumentText(this.#path, bytes, this.#maxBytes) };
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return { hash: message, parse: () => ({ kind: 'unreadable', line: 1, message }) };
    }
  }
}

const NOTHING_NEW: FileLook = { change: undefined, unsettled: false };
const NOT_SETTLED: FileLook = { change: undefined, unsettled: true };

function told(change: FileChange): FileLook {
  return { change, unsettled: false };
}
