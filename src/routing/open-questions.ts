import type { RouteRequest } from '../wire/route.js';

/** A clarify that waits for its answer. */
export interface OpenQuestion {
  readonly routeId: string;
  readonly request: RouteRequest;
  /** The capability that a fuller payload is for, where only fields were missing. */
  readonly target: { readonly agentName: string; readonly capabilityId: string } | undefined;
  /** Identities of the capabilities that may be chosen. */
  readonly choices: readonly string[];
  /** Its intent was understood by what its session was about before. */
  readonly resumed: boolean;
}

interface Kept extends OpenQuestion {
  readonly askedAt: number;
  readonly size: number;
}

/** Characters of all kept requests together: some 100 MB at worst. */
const MOST_CHARS = 32_000_000;
const KEPT_MS = 600_000;

/** The clarifies of the last ten minutes, bounded by what they hold: the oldest go first. Time comes in as an argument. */
export class OpenQuestions {
  readonly #questions = new Map<string, Kept>();
  #chars = 0;

  ask(question: OpenQuestion, now: number): void {
    const size = JSON.stringify(question.request).length;
    this.#questions.set(question.routeId, { ...question, askedAt: now, size });
    this.#chars += size;
    for (const [id, kept] of this.#questions) {
      if (this.#chars <= MOST_CHARS && now - kept.askedAt <= KEPT_MS) break;
      this.#questions.delete(id);
      this.#chars -= kept.size;
    }
  }

  find(routeId: string, now: number): OpenQuestion | undefined {
    const question = this.#questions.get(routeId);
    return question !== undefined && now - question.askedAt <= KEPT_MS ? question : undefined;
  }
}
