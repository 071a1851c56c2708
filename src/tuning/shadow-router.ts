import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import type { InstanceViews } from '../health/instance-view.js';
import type { ShadowVerdict } from '../record/shadow-verdict.js';
import type { DecisionMade, DecisionObserver } from '../routing/decision-observer.js';
import { FIRST_INSTANCE, Judge, type JudgeParts } from '../routing/judge.js';
import type { Weights } from '../routing/weights.js';
import type { Decision } from '../wire/route.js';

/** Intents that wait at most: a request may hold a megabyte. */
const MOST_WAITING = 100;
/** Until an answer that was just decided is on its way. */
const BEHIND_MS = 1;
/** So many times as long as an intent took, lateness included, the next one waits: a tenth of the time is theirs. */
const REST = 9;
const MOST_REST_MS = 1_000;

export interface ShadowRouterParts extends Omit<JudgeParts, 'choice'> {
  /** Those in the shadow; undefined while there are none. */
  readonly weights: () => Weights | undefined;
  readonly instances: InstanceViews;
  /** Keeps a verdict with its decision; false where that is not possible any more. */
  readonly keep: (routeId: string, verdict: ShadowVerdict) => Promise<boolean>;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** An intent that weights in force have answered, with what was true then. */
interface Answered {
  readonly searched: NonNullable<DecisionMade['searched']>;
  readonly routeId: string;
  readonly catalogueVersion: number;
  readonly instances: InstanceViews;
}

/** The weights in the shadow, with what belongs to them alone. */
interface Current {
  readonly weights: Weights;
  readonly judge: Judge;
  answered: number;
  leftOut: number;
  hasFailed: boolean;
}

/**
 * Answers live intents by other weights than those in force, behind the answers: one at a time, and giving way to
 * whatever else there is to do. It has no effect but that its verdicts are kept. What it cannot keep up with, what the
 * catalogue has changed for meanwhile and what fails is left out, and counted.
 */
export class ShadowRouter implements DecisionObserver {
  readonly #parts: ShadowRouterParts;
  #known: Current | undefined;
  #waiting: Answered[] = [];
  #stopTimer: (() => void) | undefined;
  #working: Promise<void> | undefined;
  #closed = false;

  constructor(parts: ShadowRouterParts) {
    this.#parts = parts;
  }

  decided({ decision, searched }: DecisionMade): void {
    if (searched === undefined || this.#closed) return;
    const current = this.#current();
    if (current === undefined) return;
    if (this.#waiting.length === MOST_WAITING) {
      current.leftOut += 1;
      return;
    }
    const { routeId, catalogueVersion } = decision;
    this.#waiting.push({ searched, routeId, catalogueVersion, instances: this.#asSeenBy(decision) });
    if (this.#working === undefined) this.#answerAfter(BEHIND_MS);
  }

  /** Of no consequence for the state of the service, whatever becomes of the shadow. */
  status() {
    const current = this.#current();
    const { answered, leftOut } = current ?? { answered: 0, leftOut: 0 };
    const waiting = this.#waiting.length;
    const detail =
      current === undefined
        ? 'No weights are in the shadow.'
        : `${current.weights.version} answered ${answered} intents in the shadow, ${leftOut} were left out, ${waiting} wait.`;
    return { state: 'ok' as const, detail, answered, leftOut, waiting };
  }

  /** What waits is not answered any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTimer?.();
    this.#waiting = [];
    await this.#working;
  }

  /** Begins anew where there are others than before, and lets go of what belonged to those. */
  #current(): Current | undefined {
    const weights = this.#parts.weights();
    if (weights === this.#known?.weights) return this.#known;
    if (weights === undefined) {
      this.#known = undefined;
      this.#waiting = [];
    } else {
      const judge = new Judge({ ...this.#parts, choice: FIRST_INSTANCE });
      this.#known = { weights, judge, answered: 0, leftOut: 0, hasFailed: false };
    }
    return this.#known;
  }

  /** Who is about to get the work is busier a moment later: equals would be told apart by that, and not by weights. */
  #asSeenBy({ candidates }: Decision): InstanceViews {
    const { instances } = this.#parts;
    const seen = new Map(candidates.map(({ agentName }) => [agentName, instances.instancesOf(agentName)]));
    return { instancesOf: (agentName) => seen.get(agentName) ?? instances.instancesOf(agentName) };
  }

  #answerAfter(delayMs: number): void {
    if (this.#closed || this.#stopTimer !== undefined) return;
    const { clock } = this.#parts;
    const due = clock.monotonic() + delayMs;
    this.#stopTimer = clock.after(delayMs, () => {
      this.#stopTimer = undefined;
      const current = this.#current();
      const next = this.#waiting.shift();
      if (current === undefined || next === undefined) return;
      this.#working = this.#answer(next, current).then(() => {
        this.#working = undefined;
        this.#answerAfter(Math.min(REST * (clock.monotonic() - due), MOST_REST_MS));
      });
    });
  }

  /** Never rejects. */
  async #answer(next: Answered, current: Current): Promise<void> {
    try {
      const verdict = await this.#verdictOn(next, current);
      const kept = verdict !== undefined && (await this.#parts.keep(next.routeId, verdict));
      current[kept ? 'answered' : 'leftOut'] += 1;
    } catch (thrown) {
      current.leftOut += 1;
      if (this.#closed || current.hasFailed) return;
      current.hasFailed = true;
      const { message } = asReachError(thrown);
      this.#parts.report(`${current.weights.version} fails in the shadow: ${message}`);
    }
  }

  /** Undefined where the catalogue is another by now. */
  async #verdictOn(answered: Answered, { judge, weights }: Current): Promise<ShadowVerdict | undefined> {
    const { searched, instances } = answered;
    const { ask, conversation } = searched;
    const { explain: _, ...request } = ask.request;
    const start = this.#parts.clock.monotonic();
    const circumstances = { start, weights, instances, conversation, watched: false, end: {} };
    return judge.judge({ ...ask, request }, circumstances, ({ verdict, catalogueVersion }) => {
      if (catalogueVersion !== answered.catalogueVersion) return undefined;
      const { outcome, targetAgent, capabilityId, confidence } = verdict;
      return { weightsVersion: weights.version, outcome, targetAgent, capabilityId, confidence };
    });
  }
}
