import { asReachError, ReachError } from '../errors.js';
import type { FolderEvent } from '../manifest/folder-event.js';
import { ManifestFolder } from '../manifest/manifest-folder.js';
import type { Registry } from './registry.js';

/** Keeps the catalogue in step with a watched folder of manifests, which owns the agents that its files name. */
export class FolderSync {
  readonly #folder: ManifestFolder;
  readonly #registry: Registry;
  readonly #report: (message: string) => void;
  /** Agents of the folder, known from earlier starts, that no accepted file has named since this one. */
  readonly #unnamed = new Set<string>();

  /** `report` is told, in one sentence each, of files that cannot be used and why. */
  constructor(path: string, registry: Registry, report: (message: string) => void) {
    this.#folder = new ManifestFolder(path);
    this.#registry = registry;
    this.#report = report;
  }

  /**
   * Publishes what the folder holds, all together, removes the agents whose files are gone, and then follows it.
   * A file that cannot be used is reported, and what was read from it before goes on serving.
   * @throws ReachError CONFIG_INVALID where the folder cannot be read, and those of `Registry.publishAll`
   */
  async start(): Promise<void> {
    for (const { manifest, source } of this.#registry.snapshot.agents.values()) {
      if (source === 'folder') this.#unnamed.add(manifest.agentName);
    }
    const events = await this.#folder.read();
    for (const event of events) if (event.kind === 'broken') this.#reportFile(event.file, event.error);
    await this.#publishAll(events.filter((event) => event.kind === 'changed'));
    await this.#removeUnnamed(this.#folder.status().broken.length === 0);
    this.#folder.watch((event) => this.#take(event));
  }

  status(): { readonly state: 'ok' | 'degraded'; readonly detail: string } {
    const { path, readable, broken } = this.#folder.status();
    if (!readable) return { state: 'degraded', detail: `The manifest folder ${path} cannot be read.` };
    if (broken.length === 0) return { state: 'ok', detail: `The manifests in ${path} are all in use.` };
    const files = broken.map(({ file, error }) => sentence(file, error));
    return { state: 'degraded', detail: `Not in use of the manifests in ${path}: ${files.join(' ')}` };
  }

  close(): Promise<void> {
    return this.#folder.close();
  }

  async #publishAll(events: readonly Extract<FolderEvent, { kind: 'changed' }>[]): Promise<void> {
    const outcomes = await this.#registry.publishAll(
      events.map(({ document }) => document),
      'folder',
    );
    for (const [index, { file }] of events.entries()) {
      const outcome = outcomes[index];
      if (outcome?.kind === 'published') this.#unnamed.delete(outcome.published.agent.manifest.agentName);
      if (outcome?.kind !== 'refused') continue;
      this.#folder.refuse(file, outcome.error);
      this.#reportFile(file, outcome.error);
    }
  }

  async #take(event: FolderEvent): Promise<void> {
    switch (event.kind) {
      case 'changed': {
        const { agent } = await this.#registry.publish(event.document, 'folder');
        this.#unnamed.delete(agent.manifest.agentName);
        break;
      }
      case 'removed':
        await this.#remove(event.agentName);
        break;
      case 'broken':
        this.#reportFile(event.file, event.error);
        return;
    }
    await this.#removeUnnamed(this.#folder.status().broken.every(({ file }) => file === event.file));
  }

  /** Only while every file is in use is it sure that an agent which none of them names has lost its file. */
  async #removeUnnamed(everyFileInUse: boolean): Promise<void> {
    if (!everyFileInUse) return;
    for (const agentName of this.#unnamed) {
      await this.#remove(agentName);
      this.#unnamed.delete(agentName);
    }
  }

  async #remove(agentName: string): Promise<void> {
    try {
      await this.#registry.remove(agentName, 'folder');
    } catch (thrown) {
      const isGone = thrown instanceof ReachError && thrown.code === 'AGENT_UNKNOWN';
      if (!isGone) throw asReachError(thrown);
    }
  }

  #reportFile(file: string, error: ReachError): void {
    this.#report(`${sentence(file, error)} (What was read from it before goes on serving.)`);
  }
}

/** What is wrong with a file, by its name. */
function sentence(file: string, { message }: ReachError): string {
  return message.includes(file) ? message : `${file}: ${message}`;
}
