import { faultOfBreaker } from './breaker-judge.js';
import type { PassedCall } from './fault-proxy.js';
import { faultsOfEnd, type SeenRequest, sameInstanceTwice } from './request-end-judge.js';
import type { Execution } from './work-agent-process.js';
import { CAPABILITIES } from './work-manifests.js';

/** One instance, as it and the proxy before it saw what happened. */
export interface SeenInstance {
  /** `agent_name/instance_id`. */
  readonly name: string;
  /** It failed at everything until then: wall time in ms since the epoch. Undefined: it was never so. */
  readonly sickUntilMs: number | undefined;
  readonly calls: readonly PassedCall[];
  readonly executions: readonly Execution[];
}

/** All that was seen of a run. */
export interface Chaos {
  readonly requests: readonly SeenRequest[];
  readonly instances: readonly SeenInstance[];
}

/** What a run came to; each list is of sentences, and empty where a promise was kept. */
export interface ChaosReport {
  readonly requests: number;
  readonly completed: number;
  /** Calls with which something went wrong on their way. */
  readonly harmed: number;
  /** Calls that came to the instances, for each request. */
  readonly attemptsEach: number;
  readonly notOneEnd: readonly string[];
  readonly carriedOutAgain: readonly string[];
  readonly onFailedInstance: readonly string[];
  /** Breakers of sick instances, and those of them that opened, tried single calls and closed. */
  readonly breakers: number;
  readonly wrongBreakers: readonly string[];
}

/** Whether every promise was kept, told from all sides. */
export function judgeChaos({ requests, instances }: Chaos): ChaosReport {
  const calls = instances.flatMap((instance) => instance.calls);
  const executions = executionsById(instances.flatMap((instance) => instance.executions));
  const ended = requests.filter((request) => request.kind === 'ended');
  const breakers = instances.flatMap(({ name, calls, sickUntilMs }) =>
    sickUntilMs === undefined
      ? []
      : CAPABILITIES.map(({ id }) => {
          const own = calls.filter(({ capabilityId }) => capabilityId === id);
          const fault = faultOfBreaker(
            own.map(({ atMs }) => atMs),
            sickUntilMs,
          );
          return { name: `the breaker of ${name} for ${id}`, fault };
        }),
  );
  return {
    requests: requests.length,
    completed: ended.filter(({ status }) => status.state === 'completed').length,
    harmed: calls.filter(({ fault }) => fault !== undefined).length,
    attemptsEach: calls.length / requests.length,
    notOneEnd: requests.flatMap((request) => faultsOfEnd(request, executions.get(request.requestId) ?? [])),
    carriedOutAgain: [...executions]
      .filter(([, those]) => those.length > 1 && those.some(({ capabilityId }) => capabilityId === 'write'))
      .map(([requestId, those]) => `${requestId} was carried out ${those.length} times`),
    onFailedInstance: ended.flatMap(({ status }) => sameInstanceTwice(status)),
    breakers: breakers.length,
    wrongBreakers: breakers.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name} ${fault}`])),
  };
}

export function executionsById(executions: readonly Execution[]): ReadonlyMap<string, readonly Execution[]> {
  const found = new Map<string, Execution[]>();
  for (const execution of executions) {
    const known = found.get(execution.requestId);
    if (known === undefined) found.set(execution.requestId, [execution]);
    else known.push(execution);
  }
  return found;
}
