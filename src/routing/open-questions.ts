import type { RouteRequest } from '../wire/route.js';

/** A clarify that waits for its answer. */
export interface OpenQuestion {
  readonly request: RouteRequest;
  /** The capability that a fuller payload is for, where only fields were missing. */
  readonly target: { readonly agentName: string; readonly capabilityId: string } | undefined;
}

const MOST = 10_000;
const KEPT_MS = 600_000;

/** The clarifies of the last ten minutes, at most 10,000: the oldest go first. Time comes in as an argument. */
export class OpenQuestions {
  readonly #questions = new Map<string, OpenQuestion & { readonly askedAt: number }>();

  ask(routeId: string, question: OpenQuestion, now: number): void {
    this.#questions.set(routeId, { ...question, askedAt: now });
    const [oldest] = this.#questions.keys();
    if (this.#questions.size > MOST && oldest !== undefined) this.#questions.delete(oldest);
  }

  find(routeId: string, now: number): OpenQuestion | undefined {
    const question = this.#questions.get(routeId);
    return question !== undefined && now - question.askedAt <= KEPT_MS ? question : undefined;
  }
}
