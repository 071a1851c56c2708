import type { Clock } from '../clock.js';
import type { CallObserver, CallOutcome, InstanceView, InstanceViews } from '../health/instance-view.js';
import type { AgentAnswer, AgentCall, AgentTransport } from '../transport/agent-transport.js';
import type { Attempt } from '../wire/dispatch.js';
import { outcomeOf } from './call-outcome.js';
import { nextStep, type StopReason, type TriedInstance } from './retry-plan.js';
import type { Target } from './target.js';

/** One piece of work, decided and checked: what is the same in all its attempts. */
export interface Order {
  readonly target: Target;
  /** The instance to try first. */
  readonly preferredId: string | null;
  /** For all attempts together. */
  readonly budgetMs: number;
  readonly request: Pick<
    AgentCall,
    'requestId' | 'intent' | 'payload' | 'lane' | 'sessionId' | 'userId' | 'traceparent'
  >;
}

/** How an order ended. `answer` is that of the last attempt; undefined where there was none. */
export interface CarriedOut {
  readonly attempts: readonly Attempt[];
  readonly answer: AgentAnswer | undefined;
  readonly stopped: StopReason;
  /** The instances of the agent as they were then. */
  readonly instances: readonly InstanceView[];
}

interface Parts {
  readonly instances: InstanceViews & CallObserver;
  readonly transport: AgentTransport;
  readonly clock: Clock;
}

function attemptOf(
  instance: InstanceView,
  { target }: Order,
  answer: AgentAnswer,
  time: { readonly startedAt: number; readonly elapsedMs: number },
): Attempt {
  const code =
    answer.kind === 'completed' ? undefined : answer.kind === 'refused' ? 'PAYLOAD_INVALID' : answer.code;
  return {
    instanceId: instance.instanceId,
    capabilityId: target.capability.id,
    startedAt: new Date(time.startedAt).toISOString(),
    elapsedMs: time.elapsedMs,
    outcome: answer.kind,
    ...(code === undefined ? {} : { errorCode: code }),
  };
}

/** Makes attempts until the plan says stop, each within what the ones before left of the budget. */
export async function carryOut(order: Order, { instances, transport, clock }: Parts): Promise<CarriedOut> {
  const { agent, capability } = order.target;
  const { agentName, executeEndpoint, auth } = agent.manifest;
  const deadline = clock.monotonic() + order.budgetMs;
  const attempts: Attempt[] = [];
  const tried: TriedInstance[] = [];

  const attempt = async (instance: InstanceView, timeoutMs: number): Promise<AgentAnswer> => {
    const { instanceId, address } = instance;
    const startedAt = clock.now();
    const start = clock.monotonic();
    const end = instances.begin(agentName, instanceId, capability.id);
    let outcome: CallOutcome['outcome'] = 'failed';
    try {
      const answer = await transport.call({
        ...order.request,
        address,
        executeEndpoint,
        auth,
        capabilityId: capability.id,
        attempt: attempts.length + 1,
        timeoutMs,
      });
      outcome = outcomeOf(answer);
      attempts.push(attemptOf(instance, order, answer, { startedAt, elapsedMs: clock.monotonic() - start }));
      return answer;
    } finally {
      // Also where the transport broke its promise not to throw: nothing may stay pending for ever.
      const elapsedMs = clock.monotonic() - start;
      end({ outcome, elapsedMs });
    }
  };

  for (;;) {
    const leftMs = deadline - clock.monotonic();
    const views = instances.instancesOf(agentName);
    const step = nextStep({
      capabilityId: capability.id,
      preferredId: order.preferredId,
      instances: views,
      tried,
      idempotent: capability.idempotent,
      leftMs,
    });
    if (step.kind === 'stop') {
      return { attempts, answer: tried.at(-1)?.answer, stopped: step.reason, instances: views };
    }
    const answer = await attempt(step.instance, leftMs);
    tried.push({ instanceId: step.instance.instanceId, answer });
  }
}
