import type { CatalogueSnapshot } from '../registry/catalogue.js';
import type { FinalAnswer } from '../transport/agent-transport.js';
import type { Attempt } from '../wire/dispatch.js';
import type { Decision } from '../wire/route.js';
import { type MadeAttempt, makeAttempt } from './attempt.js';
import { executeBudgetMs, retryPolicyOf } from './budgets.js';
import type { NoSlot, Slot } from './lanes.js';
import { lostAttempt } from './lost-attempt.js';
import { pause } from './pause.js';
import { nextStep, type PastAttempt, type PlanTarget, type StopReason } from './retry-plan.js';
import { payloadFor, standInsThatAccept, type Target } from './target.js';
import type { Work, WorkParts } from './work.js';

/** Work with whom a decision sends it to. */
export interface Order extends Work {
  readonly decision: Decision;
  readonly target: Target;
  readonly standIns: readonly string[];
  readonly catalogue: CatalogueSnapshot;
  /** Until when a slot has to be found, monotonic. */
  readonly seekUntil: number;
}

/** How an order ended. */
export interface CarriedOut {
  readonly attempts: readonly Attempt[];
  /** Of the last attempt; undefined where there was none. */
  readonly answer: FinalAnswer | undefined;
  /** `no_slot`: none became free in time; `full`: nor was there a place in the queue. */
  readonly stopped: StopReason | 'no_slot' | 'full';
  /** Where the queue was full: when it may have room. */
  readonly retryAfterMs: number | undefined;
  /** For slots. */
  readonly waitedMs: number;
}

const CANCELLED: FinalAnswer = { kind: 'cancelled' };
const NONE: ReadonlySet<string> = new Set();
const FAILURES: ReadonlySet<Attempt['outcome']> = new Set(['failed', 'timeout']);

/** A target as the plan sees it. */
interface Aim extends PlanTarget {
  readonly target: Target;
}

/** One order on its way: what was tried, and what is still open to it. */
class Errand {
  readonly #order: Order;
  readonly #parts: WorkParts;
  readonly #payload: ReturnType<typeof payloadFor>;
  readonly #attempts: Attempt[] = [];
  readonly #past: PastAttempt[] = [];
  /** Those of whom no slot was to be had in this round. */
  #closed: readonly Target[] = [];
  #aims: readonly Aim[];
  #round = 0;
  #inRound = 0;
  /** When the work must be done, monotonic; known from the first delivery on, also through a restart. */
  #deadline: number | undefined;
  #full: number | undefined;
  #waitedMs = 0;

  /** @throws ReachError PAYLOAD_INVALID */
  constructor(order: Order, parts: WorkParts) {
    this.#order = order;
    this.#parts = parts;
    this.#aims = [this.#aimAt(order.target)];
    this.#deadline = order.life.earlier?.deadline;
    if (order.life.earlier !== undefined) this.#past.push(lostAttempt(order.life.earlier));
    this.#payload = payloadFor(order.target, order.decision, order.request.payload ?? {});
  }

  /** @throws ReachError STORE_UNAVAILABLE */
  async run(): Promise<CarriedOut> {
    const { clock, budget } = this.#parts;
    const { life } = this.#order;
    const { signal } = life;
    for (;;) {
      if (signal?.aborted) return this.#end('answered', CANCELLED);
      const step = this.#next();
      if (step.kind === 'stop') return this.#stop(step.reason);
      if (step.kind === 'wait') {
        life.enter('retry_waiting');
        await pause(step.delayMs, clock, signal);
        this.#beginRound();
        continue;
      }
      const aim = this.#aims[step.target];
      if (aim === undefined) return this.#stop('no_instance');
      const { target } = aim;
      // What goes on after a restart is no repetition that a fault of agents has brought about.
      const again = this.#attempts.length > 0;
      if (again) budget.spend();
      const got = this.#slotOf(target);
      const slot = got instanceof Promise ? await this.#waited(got) : got;
      if (slot.kind === 'slot' && !signal?.aborted) {
        if (!again) budget.firstAttempt();
        try {
          this.#made(aim, await this.#attempt(target, slot));
        } catch (thrown) {
          // A request that is over is not delivered any more.
          if (!signal?.aborted) throw thrown;
        }
        continue;
      }
      if (again) budget.giveBack();
      if (slot.kind === 'slot') slot.end({ outcome: 'cancelled', elapsedMs: undefined });
      else if (slot.kind === 'late') return this.#end(again ? 'no_time' : 'no_slot');
      else this.#close(target, slot);
    }
  }

  #next() {
    const { request, terms, standIns, catalogue } = this.#order;
    const { clock, budget, random } = this.#parts;
    const plan = () =>
      nextStep({
        targets: this.#aims,
        past: this.#past,
        made: this.#attemptsMade,
        inRound: this.#inRound,
        round: this.#round,
        policy: retryPolicyOf(terms),
        leftMs: this.#deadline === undefined ? Number.POSITIVE_INFINITY : this.#deadline - clock.monotonic(),
        budgetAllows: this.#attempts.length === 0 || budget.allows,
        random: random(),
      });
    const step = plan();
    if (step.kind === 'attempt' || standIns.length === 0 || this.#aims.length > 1) return step;
    // Only who needs them looks for them: most work is done by whom it was sent to.
    const others = standInsThatAccept(request.payload ?? {}, standIns, catalogue);
    this.#aims = [...this.#aims, ...others.map((target) => this.#aimAt(target))];
    return plan();
  }

  #aimAt(target: Target): Aim {
    const { agentName } = target.agent.manifest;
    const { id, idempotent, expectedMs } = target.capability;
    const { lanes } = this.#parts;
    return {
      target,
      agentName,
      idempotent,
      expectedMs,
      isOpen: () => !this.#closed.includes(target) && lanes.isOpen(agentName, id, this.#without(agentName)),
    };
  }

  /** Those before a restart included. */
  get #attemptsMade(): number {
    return (this.#order.life.earlier?.attempt ?? 0) + this.#attempts.length;
  }

  /** The instances of an agent that have failed in this round. */
  #without(agentName: string): ReadonlySet<string> {
    if (this.#inRound === 0) return NONE;
    const failed = this.#attempts
      .slice(-this.#inRound)
      .filter((made) => made.agentName === agentName && FAILURES.has(made.outcome));
    return new Set(failed.map(({ instanceId }) => instanceId));
  }

  #slotOf(target: Target): Slot | NoSlot | Promise<Slot | NoSlot> {
    const { decision, request, lane, affinity, life, seekUntil } = this.#order;
    const { lanes, choice } = this.#parts;
    const { agentName } = target.agent.manifest;
    const { id: capabilityId, instanceStrategy } = target.capability;
    return lanes.acquire(
      {
        agentName,
        capabilityId,
        lane,
        preferredId: target === this.#order.target && this.#past.length === 0 ? decision.instanceId : null,
        without: this.#without(agentName),
        choose(open) {
          const chosen = choice.choose(open, {
            agentName,
            capabilityId,
            strategy: instanceStrategy,
            sessionId: request.sessionId,
            userId: request.userId,
            affinity,
            region: request.region,
            hint: request.hint,
            turn: choice.turnOf(agentName),
          });
          if (chosen !== undefined) choice.takeTurn(agentName);
          return chosen;
        },
      },
      {
        untilMs: this.#deadline ?? seekUntil,
        signal: life.signal,
        queuedAt(place) {
          life.enter('queued');
          life.queuedAt(place);
        },
      },
    );
  }

  async #waited(slot: Promise<Slot | NoSlot>): Promise<Slot | NoSlot> {
    const { clock } = this.#parts;
    const start = clock.monotonic();
    const got = await slot;
    this.#waitedMs += clock.monotonic() - start;
    return got;
  }

  #attempt(target: Target, slot: Slot): Promise<MadeAttempt> {
    const { request, terms, lane, decision } = this.#order;
    const budgetMs = executeBudgetMs(lane, terms.deadlines, decision, this.#order.target.capability);
    this.#deadline ??= this.#parts.clock.monotonic() + budgetMs;
    return makeAttempt(
      {
        work: this.#order,
        target,
        payload: target === this.#order.target ? this.#payload : (request.payload ?? {}),
        slot,
        number: this.#attemptsMade + 1,
        deadline: this.#deadline,
      },
      this.#parts,
    );
  }

  #made(target: Aim, { answer, attempt }: MadeAttempt): void {
    this.#attempts.push(attempt);
    this.#past.push({ target, answer });
    this.#inRound += 1;
  }

  #close(target: Target, slot: NoSlot): void {
    this.#closed = [...this.#closed, target];
    if (slot.kind === 'full') this.#full = Math.min(this.#full ?? slot.retryAfterMs, slot.retryAfterMs);
  }

  /** Of an attempt made here; that of one before a restart only where it is why there was none. */
  #lastAnswer(stopped: CarriedOut['stopped']): FinalAnswer | undefined {
    const counts = this.#attempts.length > 0 || stopped === 'not_repeatable' || stopped === 'attempts_used';
    return counts ? this.#past.at(-1)?.answer : undefined;
  }

  #beginRound(): void {
    this.#round += 1;
    this.#inRound = 0;
    this.#closed = [];
  }

  #stop(reason: StopReason): CarriedOut {
    return this.#end(reason === 'no_instance' && this.#full !== undefined ? 'full' : reason);
  }

  #end(stopped: CarriedOut['stopped'], answer = this.#lastAnswer(stopped)): CarriedOut {
    return {
      attempts: this.#attempts,
      answer,
      stopped,
      retryAfterMs: this.#full,
      waitedMs: this.#waitedMs,
    };
  }
}

/**
 * Makes attempts until the plan says stop, each within what the ones before left of the budget.
 * @throws ReachError PAYLOAD_INVALID; STORE_UNAVAILABLE where a delivery could not be written down
 */
export function carryOut(order: Order, parts: WorkParts): Promise<CarriedOut> {
  return new Errand(order, parts).run();
}
