import type { Weights } from '../../routing/weights.js';
import type { NewTuning, Shadow, TuningStore, TuningVersion } from '../../tuning/tuning-store.js';

/** A version with its weights as text, so that nobody outside can change what is stored. */
interface Entry {
  readonly version: TuningVersion;
  readonly weights: string;
}

interface Kept {
  /** Newest first. */
  readonly entries: readonly Entry[];
  readonly shadow: Shadow | null;
}

/** Versions that are kept: a history that is gone with the process is only there to take back a mistake. */
export const VERSIONS_IN_MEMORY = 10;

const NOTHING: Kept = { entries: [], shadow: null };

const isStanding = ({ version }: Entry) => version.rolledBackAtMs === null;

/** Tuned weights for as long as the process lives. */
export class MemoryTuningStore implements TuningStore {
  readonly #teams = new Map<string, Kept>();

  async versions(team: string): Promise<readonly TuningVersion[]> {
    return this.#kept(team).entries.map(({ version }) => version);
  }

  async weights(team: string, number: number): Promise<Weights | undefined> {
    const entry = this.#kept(team).entries.find(({ version }) => version.number === number);
    return entry && JSON.parse(entry.weights);
  }

  async append(
    team: string,
    { weights, ...tuning }: NewTuning,
    top: number,
  ): Promise<TuningVersion | undefined> {
    const kept = this.#kept(team);
    if ((kept.entries.find(isStanding)?.version.number ?? 0) !== top) return undefined;
    const number = (kept.entries[0]?.version.number ?? 0) + 1;
    const version = { ...tuning, number, rolledBackAtMs: null };
    const entries = [{ version, weights: JSON.stringify(weights) }, ...kept.entries];
    this.#teams.set(team, { ...kept, entries: withoutTooMany(entries) });
    return version;
  }

  async rollBack(team: string, top: number, atMs: number): Promise<boolean> {
    const kept = this.#kept(team);
    const standing = kept.entries.find(isStanding);
    if (standing?.version.number !== top) return false;
    const taken = { ...standing, version: { ...standing.version, rolledBackAtMs: atMs } };
    const entries = kept.entries.map((entry) => (entry === standing ? taken : entry));
    this.#teams.set(team, { ...kept, entries });
    return true;
  }

  async shadow(team: string): Promise<Shadow | null> {
    return this.#kept(team).shadow;
  }

  async setShadow(team: string, shadow: Shadow | null): Promise<void> {
    this.#teams.set(team, { ...this.#kept(team), shadow: structuredClone(shadow) });
  }

  #kept(team: string): Kept {
    return this.#teams.get(team) ?? NOTHING;
  }
}

function withoutTooMany(entries: readonly Entry[]): readonly Entry[] {
  if (entries.length <= VERSIONS_IN_MEMORY) return entries;
  const first = entries.findLast((entry) => !isStanding(entry)) ?? entries.at(-1);
  return entries.filter((entry) => entry !== first);
}
