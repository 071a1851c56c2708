import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import type { CarryOut, RequestLife } from '../requests/request-life.js';
import { within } from '../running-calls.js';
import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import { type Cause, Causes } from './causes.js';
import type { Occasion } from './occasion.js';
import type { TicketDesk } from './ticket-desk.js';

/** No answer waits longer for its ticket. */
const OPEN_MS = 1_000;

export interface HandoffParts {
  readonly desk: TicketDesk;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

function withTicket(decision: Decision, ticketId: string | undefined): Decision {
  return decision.outcome === 'human' && ticketId !== undefined ? { ...decision, ticketId } : decision;
}

function occasionOf(
  request: DispatchRequest,
  { requestId, traceparent }: RequestLife,
  came: Pick<Occasion, 'decision' | 'answer' | 'refusal'>,
): Occasion {
  return { request, requestId, traceparent, ...came };
}

/** Opens tickets for what needs a person, beside the answers: one that cannot be opened fails nothing. */
export class Handoff {
  readonly #parts: HandoffParts;
  readonly #causes: Causes;
  #fault: string | undefined;

  constructor(parts: HandoffParts) {
    this.#parts = parts;
    this.#causes = new Causes(parts.clock);
  }

  /** The same, whose answers carry the id of the ticket where one was opened or joined. */
  around(carryOut: CarryOut): CarryOut {
    return (request, life) =>
      carryOut(request, life).then(
        // What is done needs nobody: that is nearly every answer.
        (answer) => (answer.state === 'completed' ? answer : this.#answered(request, life, answer)),
        (thrown: unknown) => this.#refused(request, life, thrown),
      );
  }

  /** A decision that nobody carries out, as it is told: it names the ticket where a human is asked. */
  async decided(
    request: RouteRequest,
    decision: Decision,
    traceparent: string | undefined,
  ): Promise<Decision> {
    const told = { request, decision, requestId: null, traceparent, answer: undefined, refusal: undefined };
    return withTicket(decision, await this.#ticketFor(told));
  }

  /** What keeps tickets from being opened; undefined where nothing does. */
  get fault(): string | undefined {
    return this.#fault;
  }

  async #answered(
    request: DispatchRequest,
    life: RequestLife,
    answer: DispatchAnswer,
  ): Promise<DispatchAnswer> {
    const decision = answer.decision ?? undefined;
    const ticketId = await this.#ticketFor(
      occasionOf(request, life, { decision, answer, refusal: undefined }),
    );
    if (ticketId === undefined) return answer;
    return {
      ...answer,
      decision: decision === undefined ? null : withTicket(decision, ticketId),
      ticketId,
    };
  }

  /** @throws what was thrown, once a person is asked where one is needed */
  async #refused(request: DispatchRequest, life: RequestLife, thrown: unknown): Promise<never> {
    const refusal = asReachError(thrown);
    await this.#ticketFor(occasionOf(request, life, { decision: undefined, answer: undefined, refusal }));
    throw thrown;
  }

  async #ticketFor(occasion: Occasion): Promise<string | undefined> {
    const cause = this.#causes.of(occasion);
    return cause && (await this.#open(cause, occasion));
  }

  async #open(cause: Cause, occasion: Occasion): Promise<string | undefined> {
    const { desk, clock, report } = this.#parts;
    try {
      const ticketId = await within(OPEN_MS, clock, () => desk.open(cause, occasion));
      this.#fault = ticketId === undefined ? 'There is no room for another ticket.' : undefined;
      return ticketId;
    } catch (thrown) {
      const { message } = asReachError(thrown);
      if (this.#fault === undefined) report(`Tickets cannot be opened: ${message}`);
      this.#fault = message;
      return undefined;
    }
  }
}
