/** What an answer has besides its result. */
export const nothing = { degraded: false, decision: null, attempts: [], waitedMs: 0, elapsedMs: 0 };

/** A request on its way to the one agent there is. */
export async function begun({ payload }, life) {
  life.enter('routing');
  await life.deliver({
    attempt: 1,
    agentName: 'a',
    instanceId: 'a',
    capabilityId: 'c',
    idempotent: payload.idempotent,
    deadline: performance.now() + 60_000,
  });
}
