import type { Embedder } from './embedding/embedder.js';
import type { BySpace } from './embedding/embedding-space.js';
import type { HealthReport, PartState } from './wire/health.js';

/** State of a part that has nothing more to say. */
export type PartReport = () => { readonly state: PartState; readonly detail: string };

/** One a space. */
export function allOf<Of>({ main, english }: BySpace<Of>): Of[] {
  return english === undefined ? [main] : [main, english];
}

const WORST_FIRST = ['failed', 'starting', 'degraded', 'ok'] as const;

function worstOf(states: readonly PartState[]): PartState {
  return WORST_FIRST.find((state) => states.includes(state)) ?? 'ok';
}

/** The state of the whole. Without its models nothing can be answered; whatever else has failed leaves answers to give. */
export function statusOf({
  embedding,
  ...others
}: Pick<
  HealthReport,
  | 'catalogue'
  | 'embedding'
  | 'vectorIndex'
  | 'store'
  | 'manifests'
  | 'rules'
  | 'reachability'
  | 'replicas'
  | 'records'
  | 'tickets'
  | 'outbox'
>): PartState {
  if (embedding.state === 'failed') return 'failed';
  const states = [embedding, ...Object.values(others)].map(({ state }) => state);
  if (states.includes('starting')) return 'starting';
  return states.every((state) => state === 'ok') ? 'ok' : 'degraded';
}

/** Of all models: the worst of their states. */
export function embeddingReport(embedders: BySpace<Embedder>): HealthReport['embedding'] {
  const states = { starting: 'starting', ready: 'ok', restarting: 'degraded', closed: 'failed' } as const;
  const reports = allOf(embedders).map((embedder) => embedder.status());
  return {
    state: worstOf(reports.map(({ state }) => states[state])),
    detail: reports.map(({ model, state }) => `${model.name} is ${state}.`).join(' '),
    model: embedders.main.model.name,
    restarts: reports.reduce((sum, { restarts }) => sum + restarts, 0),
    pending: reports.reduce((sum, { pending }) => sum + pending, 0),
  };
}
