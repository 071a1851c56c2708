import { ReachError } from '../errors.js';
import type { Agent } from '../registry/catalogue.js';
import { within } from '../running-calls.js';
import type { Overlap } from '../wire/agents.js';
import type { WouldChange } from '../wire/preview.js';
import type { RecordedDecision } from '../wire/records.js';
import type { RouteRequest } from '../wire/route.js';
import { CatalogueCopy, type DecidingParts } from './catalogue-copy.js';
import { type RecordedIntents, recordedIntents } from './recorded-intents.js';
import { askAgain, wouldChange } from './would-change.js';

/** Each of them holds a copy of the catalogue. */
const MOST_AT_ONCE = 2;
/** For all of it. */
const BUDGET_MS = 30_000;
/** Of that, for reading what was recorded. */
const READING_MS = 5_000;
/** Of what is left then, for making the copy and embedding the manifest. */
const COPYING_SHARE = 0.6;
/** Of what is left then, for what is decided before the change. */
const BEFORE_SHARE = 0.5;

/** What came of the copying, as far as the time allowed. */
interface Foreseen {
  readonly wouldChange: WouldChange;
  readonly overlaps: Overlap[] | null;
}

/** Says what publishing an agent would change, by deciding recorded intents in a copy of the catalogue. */
export class PublishPreviews {
  readonly #parts: DecidingParts;
  #running = 0;

  constructor(parts: DecidingParts) {
    this.#parts = parts;
  }

  /**
   * `decisions`: the recorded ones, newest first. Ends at the latest after 30 s, and says what it left out.
   * @throws ReachError OVERLOADED, those of CatalogueIndex.prepare, and the reason of `signal`
   */
  async of(agent: Agent, decisions: AsyncIterable<RecordedDecision>, signal: AbortSignal): Promise<Foreseen> {
    if (this.#running >= MOST_AT_ONCE) {
      const detail = `${this.#running} dry runs are under way, no more are taken.`;
      throw new ReachError('OVERLOADED', detail, { retryAfterMs: BUDGET_MS / 2 });
    }
    this.#running += 1;
    try {
      return await this.#foresee(agent, decisions, signal);
    } finally {
      this.#running -= 1;
    }
  }

  async #foresee(
    agent: Agent,
    decisions: AsyncIterable<RecordedDecision>,
    signal: AbortSignal,
  ): Promise<Foreseen> {
    const { clock } = this.#parts;
    const endMs = clock.monotonic() + BUDGET_MS;
    const leftMs = () => endMs - clock.monotonic();
    const after = (ms: number) => {
      const untilMs = clock.monotonic() + ms;
      return () => {
        signal.throwIfAborted();
        return clock.monotonic() >= untilMs;
      };
    };

    const recorded = await recordedIntents(decisions, after(READING_MS));
    const copy = await this.#copyFor(agent, leftMs() * COPYING_SHARE, signal);
    if (copy === undefined) return { wouldChange: nothingAsked(recorded), overlaps: null };
    const route = (request: RouteRequest) =>
      within(leftMs(), clock, (end) => copy.route(request, end), signal);
    const before = await askAgain(recorded.intents, route, after(leftMs() * BEFORE_SHARE));
    await copy.publish(agent);
    const overlaps = await copy.overlapsOf(agent);
    const later = await askAgain(before.keys(), route, after(leftMs()));
    return { wouldChange: wouldChange(recorded, before, later), overlaps };
  }

  /** A copy in which the agent is ready to be published; undefined where that takes too long. */
  async #copyFor(agent: Agent, budgetMs: number, signal: AbortSignal): Promise<CatalogueCopy | undefined> {
    const copying = async (end: { readonly signal: AbortSignal }) => {
      const copy = await CatalogueCopy.of(this.#parts, end);
      await copy.prepare(agent, end);
      return copy;
    };
    try {
      return await within(budgetMs, this.#parts.clock, copying, signal);
    } catch (thrown) {
      if (thrown instanceof ReachError && thrown.code === 'DEADLINE_EXCEEDED') return undefined;
      throw thrown;
    }
  }
}

function nothingAsked(recorded: RecordedIntents): WouldChange {
  return wouldChange(recorded, new Map(), new Map());
}
