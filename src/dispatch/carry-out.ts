import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import type { CallObserver, CallOutcome, InstanceView, InstanceViews } from '../health/instance-view.js';
import type { LateAnswer, RequestLife } from '../requests/request-life.js';
import type { AgentCall, AgentTransport, FinalAnswer } from '../transport/agent-transport.js';
import type { Attempt } from '../wire/dispatch.js';
import { outcomeOf } from './call-outcome.js';
import { nextStep, type StopReason, type TriedInstance } from './retry-plan.js';
import type { Target } from './target.js';

/** One piece of work, decided and checked: what is the same in all its attempts. */
export interface Order {
  readonly target: Target;
  readonly life: RequestLife;
  /** The instance to try first. */
  readonly preferredId: string | null;
  /** For all attempts together. */
  readonly budgetMs: number;
  readonly request: Pick<AgentCall, 'requestId' | 'intent' | 'payload' | 'lane' | 'session' | 'traceparent'>;
}

/** How an order ended. `answer` is that of the last attempt; undefined where there was none. */
export interface CarriedOut {
  readonly attempts: readonly Attempt[];
  readonly answer: FinalAnswer | undefined;
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
  answer: FinalAnswer,
  time: { readonly startedAt: number; readonly elapsedMs: number },
): Attempt {
  const code = answer.kind === 'refused' ? 'PAYLOAD_INVALID' : 'code' in answer ? answer.code : undefined;
  return {
    agentName: instance.agentName,
    instanceId: instance.instanceId,
    capabilityId: target.capability.id,
    startedAt: new Date(time.startedAt).toISOString(),
    elapsedMs: time.elapsedMs,
    outcome: answer.kind,
    ...(code === undefined ? {} : { errorCode: code }),
  };
}

/** An agent has taken the work: its answer comes when it has done it, or the request is ended. */
async function accepted(
  life: RequestLife,
  attempt: number,
  late: LateAnswer | undefined,
): Promise<FinalAnswer> {
  if (late === undefined) throw new ReachError('INTERNAL', 'An agent answers later, unasked.');
  life.enter('acknowledged', attempt);
  const ended = new Promise<FinalAnswer>((resolve) => {
    life.signal?.addEventListener('abort', () => resolve({ kind: 'cancelled' }), { once: true });
  });
  return Promise.race([late.answer, ended]);
}

/** Makes attempts until the plan says stop, each within what the ones before left of the budget. */
export async function carryOut(order: Order, { instances, transport, clock }: Parts): Promise<CarriedOut> {
  const { agent, capability } = order.target;
  const { life } = order;
  const { agentName, executeEndpoint, auth } = agent.manifest;
  const deadline = clock.monotonic() + order.budgetMs;
  const attempts: Attempt[] = [];
  const tried: TriedInstance[] = [];

  const attempt = async (instance: InstanceView, timeoutMs: number): Promise<FinalAnswer> => {
    const { instanceId, address } = instance;
    const startedAt = clock.now();
    const start = clock.monotonic();
    const number = attempts.length + 1;
    const { id: capabilityId, idempotent } = capability;
    await life.deliver({ attempt: number, agentName, instanceId, capabilityId, idempotent, deadline });
    const late = life.late(number);
    const end = instances.begin(agentName, instanceId, capability.id);
    let outcome: CallOutcome['outcome'] = 'failed';
    try {
      const called = await transport.call(
        {
          ...order.request,
          address,
          executeEndpoint,
          auth,
          capabilityId: capability.id,
          attempt: number,
          timeoutMs,
          ackMs: timeoutMs,
          replyTo: late?.replyTo ?? null,
          signal: life.signal,
        },
        {
          acknowledged: () => life.enter('acknowledged', number),
          progress: (data) => life.progress(data),
          delta: (data) => life.delta(data),
        },
      );
      const answer = called.kind === 'accepted' ? await accepted(life, number, late) : called;
      outcome = outcomeOf(answer);
      attempts.push(attemptOf(instance, order, answer, { startedAt, elapsedMs: clock.monotonic() - start }));
      return answer;
    } finally {
      // Also where the transport broke its promise not to throw: nothing may stay pending for ever.
      const elapsedMs = clock.monotonic() - start;
      late?.giveUp();
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
