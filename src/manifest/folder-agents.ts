import { join } from 'node:path';
import { asReachError, ReachError } from '../errors.js';
import type { FolderHandler } from './folder-event.js';
import type { FolderChange } from './folder-files.js';
import { type DocumentText, readDocument } from './read-document.js';
import { MANIFEST_LIMITS } from './schema.js';

/** A file of the folder. */
interface ManifestEntry {
  /** The agent that its newest content names. */
  claims: string | undefined;
  /** The agent whose manifest came from it last. */
  serves: string | undefined;
  /** Why its newest content is not in use. */
  error: ReachError | undefined;
}

function agentNameIn(document: unknown): string | undefined {
  if (typeof document !== 'object' || document === null || !('agent_name' in document)) return undefined;
  return typeof document.agent_name === 'string' ? document.agent_name : undefined;
}

/** Which file speaks for which agent. Of two files that name the same agent the first by name does. */
export class FolderAgents {
  readonly #folder: string;
  readonly #entries = new Map<string, ManifestEntry>();
  /** Files that wait for an earlier one to give up the name of their agent. */
  readonly #waiting = new Set<string>();
  /** Files whose document was refused for a reason that may pass. */
  readonly #retried = new Set<string>();
  /** Agents that no file serves any more, with their last file, until that could be told. */
  readonly #leaving = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  broken(): readonly { readonly file: string; readonly error: ReachError }[] {
    const files = [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1));
    return files.flatMap(([file, { error }]) => (error === undefined ? [] : [{ file, error }]));
  }

  /** Notes that the document of a file was not accepted. */
  refuse(file: string, error: ReachError): void {
    this.#entryOf(file).error = error;
    if (error.retryable) this.#retried.add(file);
  }

  /**
   * Turns what changed in files into events: first what is new, then which agents are gone, so that an agent
   * that moves to another file is never without a manifest. Returns the files that are to be told again.
   */
  async take(changes: readonly FolderChange[], handler: FolderHandler): Promise<readonly string[]> {
    for (const [file, { serves }] of this.#entries) {
      if (serves !== undefined) this.#leaving.set(serves, file);
    }
    for (const change of changes) {
      if (change.kind === 'gone') this.#forget(change.file);
    }
    for (const change of changes) {
      if (change.kind === 'content') await this.#takeContent(change.file, change.text, handler);
    }
    for (const file of [...this.#waiting].sort()) {
      if (this.#firstToClaim(this.#entryOf(file).claims) !== file) continue;
      const text = await readDocument(join(this.#folder, file), MANIFEST_LIMITS.bytes);
      await this.#takeContent(file, text, handler);
    }
    await this.#tellRemoved(handler);
    return [...this.#retried];
  }

  async #takeContent(file: string, text: DocumentText, handler: FolderHandler): Promise<void> {
    const entry = this.#entryOf(file);
    this.#waiting.delete(file);
    if (text.kind === 'unreadable') {
      entry.claims = undefined;
      const error = new ReachError('MANIFEST_INVALID', `${file}:${text.line}: ${text.message}`);
      await this.#break(file, error, handler);
      return;
    }
    const { document } = text;
    entry.claims = agentNameIn(document);
    const first = this.#firstToClaim(entry.claims);
    if (first !== undefined && first !== file) {
      await this.#wait(file, first, handler);
      return;
    }
    try {
      await handler({ kind: 'changed', file, document });
    } catch (thrown) {
      await this.#break(file, asReachError(thrown), handler);
      return;
    }
    this.#retried.delete(file);
    entry.error = undefined;
    entry.serves = entry.claims;
    await this.#takeOver(file, entry.claims, handler);
  }

  /** The name is in use by this file now: later files that had it must wait. */
  async #takeOver(file: string, agentName: string | undefined, handler: FolderHandler): Promise<void> {
    if (agentName === undefined) return;
    for (const [other, entry] of this.#entries) {
      if (other === file) continue;
      if (entry.serves === agentName) entry.serves = undefined;
      if (entry.claims === agentName && !this.#waiting.has(other)) await this.#wait(other, file, handler);
    }
  }

  async #wait(file: string, first: string, handler: FolderHandler): Promise<void> {
    const agentName = this.#entryOf(file).claims;
    this.#waiting.add(file);
    const detail = `${file}: the agent ${agentName} has a manifest already, in ${first}`;
    await this.#break(file, new ReachError('MANIFEST_INVALID', detail), handler);
  }

  async #break(file: string, error: ReachError, handler: FolderHandler): Promise<void> {
    const entry = this.#entryOf(file);
    const isTold = this.#retried.has(file) && entry.error?.message === error.message;
    entry.error = error;
    if (error.retryable) this.#retried.add(file);
    else this.#retried.delete(file);
    if (!isTold) await handler({ kind: 'broken', file, error }).catch(() => {});
  }

  async #tellRemoved(handler: FolderHandler): Promise<void> {
    const served = new Set([...this.#entries.values()].map(({ serves }) => serves));
    for (const [agentName, file] of [...this.#leaving]) {
      if (!served.has(agentName)) {
        const isTold = await handler({ kind: 'removed', file, agentName }).then(
          () => true,
          () => false,
        );
        // Kept where it could not be told, for the next time.
        if (!isTold) continue;
      }
      this.#leaving.delete(agentName);
    }
  }

  #entryOf(file: string): ManifestEntry {
    const known = this.#entries.get(file);
    if (known !== undefined) return known;
    const entry: ManifestEntry = { claims: undefined, serves: undefined, error: undefined };
    this.#entries.set(file, entry);
    return entry;
  }

  #forget(file: string): void {
    this.#entries.delete(file);
    this.#waiting.delete(file);
    this.#retried.delete(file);
  }

  #firstToClaim(agentName: string | undefined): string | undefined {
    if (agentName === undefined) return undefined;
    const files = [...this.#entries].filter(([, { claims }]) => claims === agentName).map(([file]) => file);
    return files.sort()[0];
  }
}
