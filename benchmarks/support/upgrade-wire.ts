import { randomUUID } from 'node:crypto';
import type { ReachClient } from 'agent-reach-sdk';
import type { BuiltVersion, Kit } from './built-version.js';
import { startService } from './service-process.js';
import { instanceStates, startUpgradeAgent } from './upgrade-agent.js';

const AGENT = 'wire-agent';
const INTENT = `count for ${AGENT}`;

interface Step {
  readonly name: string;
  /** Throws, or gives false, where the two versions do not understand each other. */
  readonly holds: (reach: ReachClient) => Promise<boolean>;
}

async function eventsOf(events: AsyncIterable<{ readonly event: string }>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { event } of events) names.push(event);
  return names;
}

const isDone = ({ state, result }: { readonly state: string; readonly result?: unknown }) =>
  state === 'completed' && (result as { count?: number } | undefined)?.count === 7;

/** What callers, a service and an agent say to each other. */
const STEPS: readonly Step[] = [
  {
    name: 'route',
    holds: async (reach) => (await reach.route(INTENT)).targetAgent === AGENT,
  },
  { name: 'dispatch', holds: async (reach) => isDone(await reach.dispatch(INTENT)) },
  {
    name: 'a key gives one answer',
    async holds(reach) {
      const requestId = randomUUID();
      const [first, second] = [
        await reach.dispatch(INTENT, null, { requestId }),
        await reach.dispatch(INTENT, null, { requestId }),
      ];
      return isDone(first) && JSON.stringify(first) === JSON.stringify(second);
    },
  },
  {
    name: 'an answer that comes later',
    holds: async (reach) => isDone(await reach.dispatch(INTENT, { how: 'later' })),
  },
  {
    name: 'a stream',
    async holds(reach) {
      const events = await eventsOf(reach.dispatchStream(INTENT, { how: 'stream' }));
      return ['state', 'progress', 'delta', 'answer'].every((name) => events.includes(name));
    },
  },
  {
    name: 'an asynchronous request, its events and its state',
    async holds(reach) {
      const { requestId } = await reach.dispatchLater(INTENT, null, { requestId: randomUUID() });
      const events = await eventsOf(reach.requestEvents(requestId));
      const { state, answer } = await reach.request(requestId);
      return events.at(-1) === 'answer' && state === 'completed' && answer !== null && isDone(answer);
    },
  },
  {
    name: 'a cancel, which the agent hears',
    async holds(reach) {
      const { requestId } = await reach.dispatchLater(
        INTENT,
        { how: 'forever' },
        { requestId: randomUUID() },
      );
      for await (const { event, data } of reach.requestEvents(requestId)) {
        if (event === 'state' && (data as { state: string }).state === 'delivered') break;
      }
      return (await reach.cancel(requestId)).state === 'cancelled';
    },
  },
  {
    name: 'a batch',
    async holds(reach) {
      const { state, answers } = await reach.batch([{ intent: INTENT }, { intent: INTENT }]);
      return state === 'completed' && answers.length === 2;
    },
  },
  {
    name: 'a session, which the agent is told of',
    async holds(reach) {
      const sessionId = randomUUID();
      await reach.dispatch(INTENT, null, { sessionId });
      const { result } = await reach.dispatch(INTENT, null, { sessionId });
      const { rounds, revision } = await reach.session(sessionId);
      const put = await reach.putSession(sessionId, { summary: 'counted' }, { ifMatch: revision });
      return (result as { rounds?: number }).rounds === 1 && rounds.length === 2 && put.summary === 'counted';
    },
  },
  {
    name: 'an outcome',
    async holds(reach) {
      const { routeId } = await reach.route(INTENT);
      await reach.outcome(routeId, { status: 'completed', latencyMs: 3, rightCapability: `${AGENT}/count` });
      return true;
    },
  },
];

/**
 * A service of one version with an agent and a caller of another: what they do not understand of each other, a line each.
 * `settings`: of the service, as REACH_* variables.
 */
export async function wireFaults(
  service: BuiltVersion,
  others: BuiltVersion,
  settings: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const about = `${service.name} with agents and callers of ${others.name}`;
  const { ReachClient } = (await import(others.kit)) as Kit;
  const { url, stop } = await startService('serve', settings, service.main);
  try {
    const agent = await startUpgradeAgent(others, url, AGENT, 'one');
    const reach = new ReachClient({ endpoint: url, timeoutMs: 20_000 });
    const faults: string[] = [];
    for (const { name, holds } of STEPS) {
      const fault = await holds(reach).then(
        (does) => (does ? undefined : 'another answer than awaited'),
        String,
      );
      if (fault !== undefined) faults.push(`${about}: ${name}: ${fault}`);
    }
    await agent.stop();
    if ('one' in (await instanceStates(url, AGENT)))
      faults.push(`${about}: an agent that ends does not leave`);
    return faults;
  } finally {
    await stop();
  }
}
