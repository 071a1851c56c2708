import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import type { Manifest } from '../manifest/schema.js';
import { slices } from '../manifest/slices.js';
import type { Agent } from '../registry/catalogue.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import { filteredBy } from '../routing/filter.js';
import { NEAR_IDENTICAL } from '../routing/groups.js';
import { type CallEnd, within } from '../running-calls.js';
import type { Overlap } from '../wire/agents.js';
import { capabilityKey } from '../wire/capability-key.js';
import { areRivals, type LeftOutExample, type RoutingParts, routeLeftOut } from './left-out-examples.js';
import { isOverlap, type MeasuredPair, overlapOf, takenOf } from './measured-pair.js';

/** Capabilities of other agents that each one is held against: those nearest in meaning. */
const NEIGHBOURS = 3;
/** Overlaps that are told of one agent. */
const MOST_OVERLAPS = 50;

/** A short look takes a few milliseconds; one that takes longer waits for a model behind a large catalogue. */
const BUDGET_MS = 1_000;

/** How far is looked. */
interface Bounds {
  /** Capabilities of the agent: the first of them. */
  readonly capabilities: number;
  /** Examples of each capability: the first of them. */
  readonly examples: number;
  /** Examples that are routed in all: those of the closest pairs. */
  readonly routed: number;
}

/** While somebody waits for the answer to a publish. The numbers stand in its schema. */
const IN_PASSING: Bounds = { capabilities: 100, examples: 6, routed: 24 };
const WHOLE: Bounds = {
  capabilities: Number.POSITIVE_INFINITY,
  examples: Number.POSITIVE_INFINITY,
  routed: Number.POSITIVE_INFINITY,
};

/** A capability and one of another agent that might take its intents. */
interface Suspects {
  readonly own: IndexedCapability;
  readonly other: IndexedCapability;
  /** The cosine between their summaries. */
  readonly likeness: number;
}

/** Finds capabilities of different agents that are so close that they take each other's intents. */
export class OverlapFinder {
  readonly #parts: RoutingParts;
  readonly #clock: Clock;

  constructor(parts: RoutingParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /**
   * The overlaps of a published agent with others, the worst first, at most 50.
   * @throws ReachError those of Embedder.embed
   */
  of(agent: Agent): Promise<Overlap[]> {
    return this.#find(agent, WHOLE, {});
  }

  /**
   * The same after a short look; null where not even that was possible. Stored is stored: what is in the way of it
   * must not make a publish fail.
   */
  async inPassing(agent: Agent): Promise<Overlap[] | null> {
    try {
      return await within(BUDGET_MS, this.#clock, (end) => this.#find(agent, IN_PASSING, end));
    } catch (thrown) {
      if (thrown instanceof ReachError) return null;
      throw thrown;
    }
  }

  /** Which pairs are worth measuring is told by vectors that lie in the index; what is told of those is measured. */
  async #find({ manifest }: Agent, bounds: Bounds, end: Partial<CallEnd>): Promise<Overlap[]> {
    const suspects = await this.#suspectsOf(manifest, bounds);
    const measured = await this.#measured(suspects, bounds, end);
    const worst = measured
      .filter(isOverlap)
      .sort((a, b) => takenOf(b) - takenOf(a) || b.likeness - a.likeness)
      .slice(0, MOST_OVERLAPS);
    const overlaps: Overlap[] = [];
    const pause = slices();
    for (const pair of worst) {
      overlaps.push(overlapOf(pair, this.#parts.index));
      await pause();
    }
    return overlaps;
  }

  /** The closest first. */
  async #suspectsOf({ agentName, capabilities }: Manifest, bounds: Bounds): Promise<Suspects[]> {
    const { index } = this.#parts;
    const suspects: Suspects[] = [];
    const pause = slices();
    for (const { id } of capabilities.slice(0, bounds.capabilities)) {
      const own = index.get(capabilityKey(agentName, id));
      if (own === undefined || filteredBy(own, {}) !== undefined) continue;
      const accepts = (other: IndexedCapability) =>
        other.agent.manifest.agentName !== agentName && areRivals(own, other);
      for (const other of index.neighbours(own, NEIGHBOURS, accepts)) {
        const strays = index.strays(own, other) + index.strays(other, own);
        const likeness = index.likeness(own, other);
        if (strays > 0 || likeness >= NEAR_IDENTICAL) suspects.push({ own, other, likeness });
      }
      await pause();
    }
    return suspects.sort((a, b) => b.likeness - a.likeness);
  }

  /** The suspects with what became of their examples, as far as the bounds have room for: the closest pairs first. */
  async #measured(
    suspects: readonly Suspects[],
    bounds: Bounds,
    end: Partial<CallEnd>,
  ): Promise<MeasuredPair[]> {
    const rivals = rivalsIn(suspects);
    const routed = new Map<IndexedCapability, readonly LeftOutExample[]>();
    const sizeOf = (one: IndexedCapability) => Math.min(bounds.examples, one.capability.examples.length);
    const measured: MeasuredPair[] = [];
    let room = bounds.routed;
    for (const { own, other, likeness } of suspects) {
      const missing = [own, other].filter((one) => !routed.has(one));
      const needed = missing.reduce((sum, one) => sum + sizeOf(one), 0);
      const fits = needed <= room;
      if (fits) {
        room -= needed;
        for (const one of missing) {
          const near = rivals.get(one) ?? [];
          routed.set(one, await routeLeftOut(one, near, bounds.examples, this.#parts, end));
        }
      }
      const examplesOf = (one: IndexedCapability) => (fits ? routed.get(one) : undefined) ?? [];
      measured.push({
        own: { indexed: own, examples: examplesOf(own) },
        other: { indexed: other, examples: examplesOf(other) },
        likeness,
      });
    }
    return measured;
  }
}

/** Whom each suspect is held against. */
function rivalsIn(suspects: readonly Suspects[]): Map<IndexedCapability, IndexedCapability[]> {
  const rivals = new Map<IndexedCapability, IndexedCapability[]>();
  for (const { own, other } of suspects) {
    rivals.set(own, [...(rivals.get(own) ?? []), other]);
    rivals.set(other, [...(rivals.get(other) ?? []), own]);
  }
  return rivals;
}
