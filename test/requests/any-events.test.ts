import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seekBudgetMs } from '../../src/dispatch/budgets.js';
import { ReachError } from '../../src/errors.js';
import { Lifecycle } from '../../src/lifecycle.js';
import { openRequests, type Requests } from '../../src/requests/open-requests.js';
import { isFinal, mayFollow, type RequestState } from '../../src/requests/request-state.js';
import { openStores } from '../../src/storage/open-stores.js';
import type { AgentAnswer, AgentCall } from '../../src/transport/agent-transport.js';
import { LANES, type Lane } from '../../src/wire/dispatch.js';
import { instancesAt, setUp } from '../support/dispatching.js';
import { HandClock } from '../support/hand-clock.js';
import { alone } from './requests-fixture.js';
import { type OpenCall, WaitingAgents } from './waiting-agents.js';

const LANE_SIZES = { P0: { slots: 1, queue: 2 }, P1: { slots: 2, queue: 3 }, P2: { slots: 1, queue: 2 } };
const ADDRESSES = ['http://10.0.0.1', 'http://10.0.0.2', 'http://10.0.0.3'];
/** Past every budget of a request, the one of asynchronous work too. */
const ALL_BUDGETS_MS = 700_000;
const STEPS_TO_THE_END = 40;
/** More than there is of anything at once. */
const MANY = 8;

const failure = (unreached: boolean, mayHaveExecuted: boolean): AgentAnswer => ({
  ...{ kind: 'failed', code: unreached ? 'AGENT_UNREACHABLE' : 'AGENT_FAILED', detail: 'it failed' },
  ...{ unreached, mayHaveExecuted, retryAfterMs: undefined },
});

const ANSWERS: Readonly<Record<string, AgentAnswer>> = {
  completed: { kind: 'completed', result: 1, reply: undefined, needHumanHandoff: false, entities: undefined },
  'handed off': {
    kind: 'completed',
    result: 1,
    reply: undefined,
    needHumanHandoff: true,
    entities: undefined,
  },
  refused: { kind: 'refused', detail: 'no', errors: [] },
  unreached: failure(true, false),
  lost: failure(true, true),
  failed: failure(false, true),
  accepted: { kind: 'accepted', queueRemaining: undefined, estimatedDelayMs: undefined },
};

const which = fc.nat(1_000);
const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('dispatch' as const),
      lane: fc.constantFrom(...LANES),
      times: fc.integer({ min: 1, max: 6 }),
      mode: fc.constantFrom('waits' as const, 'waits with a key' as const, 'later' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      which,
      answer: fc.constantFrom(...Object.keys(ANSWERS)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('acknowledge' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reply' as const),
      which,
      state: fc.constantFrom('processing' as const, 'completed' as const, 'failed' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('fleet' as const), size: fc.integer({ min: 0, max: 3 }) }),
  },
);
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

/** A whole dispatch, from the desk to agents that do as the events say, and what must hold whatever they say. */
class Scene {
  readonly #clock = new HandClock();
  readonly #transport = new WaitingAgents(this.#clock);
  readonly #lifecycle = new Lifecycle(() => {});
  readonly #idempotent: boolean;
  readonly #maxConcurrency: number | undefined;
  readonly #fleet: ReturnType<typeof setUp>;
  readonly #requests: Promise<Requests>;
  /** Ids of those whose states can be asked for. */
  readonly #kept: string[] = [];
  /** Those that are waited for, with how they ended. */
  readonly #waited: Promise<string>[] = [];
  readonly #acknowledged = new Set<OpenCall>();
  /** Calls that an agent took for later. */
  readonly #accepted: AgentCall[] = [];
  /** Requests that some agent may have carried out. */
  readonly #mayBeDone = new Set<string>();
  readonly #repeated: string[] = [];

  constructor(idempotent: boolean, maxConcurrency: number | undefined) {
    this.#idempotent = idempotent;
    this.#maxConcurrency = maxConcurrency;
    this.#fleet = setUp({
      lanes: LANE_SIZES,
      transport: this.#transport,
      clock: this.#clock,
    });
    this.#publish(ADDRESSES.length);
    this.#transport.onCall = ({ requestId }) => {
      if (!idempotent && this.#mayBeDone.has(requestId)) this.#repeated.push(requestId);
    };
    this.#requests = this.#open();
  }

  async happen(event: Event): Promise<void> {
    const opened = this.#transport.open.at('which' in event ? event.which % MANY : 0);
    if (event.kind === 'dispatch')
      for (let i = 0; i < event.times; i += 1) await this.#dispatch(event.lane, event.mode);
    if (event.kind === 'answer') this.#answer(opened, event.answer);
    if (event.kind === 'acknowledge' && opened !== undefined) {
      this.#mayBeDone.add(opened.call.requestId);
      this.#acknowledged.add(opened);
      opened.listener.acknowledged();
      opened.listener.progress(1);
    }
    if (event.kind === 'reply') await this.#reply(event.which, event.state);
    if (event.kind === 'cancel') await this.#cancel(event.which);
    if (event.kind === 'pass') this.#clock.pass(event.ms);
    if (event.kind === 'fleet') this.#publish(event.size);
    await settled();
    await this.#check();
  }

  /** Lets all budgets pass: nothing may be left over then. */
  async end(): Promise<readonly string[]> {
    this.#publish(ADDRESSES.length);
    for (let step = 0; step < STEPS_TO_THE_END; step += 1) {
      this.#clock.pass(ALL_BUDGETS_MS / STEPS_TO_THE_END);
      await settled();
    }
    const ends = await Promise.all(this.#waited);
    for (const states of await this.#histories()) expect(states.filter(isFinal)).toEqual([states.at(-1)]);
    const { dispatcher, table } = this.#fleet;
    expect(ends).not.toContain('INTERNAL');
    expect(dispatcher.queues()).toEqual([]);
    expect(table.instancesOf('reports').map(({ pending }) => pending)).toEqual([0, 0, 0]);
    await this.#lifecycle.close();
    return ends;
  }

  async #open(): Promise<Requests> {
    const requests = await openRequests({
      carryOut: (request, life) => this.#fleet.dispatcher.dispatch(request, life),
      withdraw: (requestId, delivery) => this.#fleet.dispatcher.withdraw(requestId, delivery),
      stores: await openStores({ store: null, data: null }),
      cluster: alone(),
      seekBudgetMs,
      callbacks: undefined,
      publicUrl: () => 'http://127.0.0.1:1',
      team: 'default',
      clock: this.#clock,
      lifecycle: this.#lifecycle,
      report: () => {},
    });
    await requests.start();
    return requests;
  }

  #publish(size: number): void {
    this.#fleet.catalogue.publish({
      agentName: 'reports',
      maxConcurrency: this.#maxConcurrency,
      capabilities: [{ id: 'weekly', idempotent: this.#idempotent }],
      instances: instancesAt(ADDRESSES.slice(0, size)),
    });
  }

  async #dispatch(lane: Lane, mode: 'waits' | 'waits with a key' | 'later'): Promise<void> {
    const { desk } = await this.#requests;
    const requestId = `r${this.#kept.length}`;
    if (mode !== 'waits') this.#kept.push(requestId);
    const request = { intent: 'weekly', lane, ...(mode !== 'waits' && { requestId }) };
    if (mode === 'later') await desk.dispatchLater(request, {});
    else
      this.#waited.push(
        desk.dispatch(request, {}).then(
          ({ state }) => state,
          ({ code }) => code,
        ),
      );
  }

  #answer(opened: OpenCall | undefined, given: string): void {
    // Whoever has acknowledged its work was reached.
    const wasReached = opened !== undefined && this.#acknowledged.has(opened);
    const name = given === 'unreached' && wasReached ? 'lost' : given;
    const answer = ANSWERS[name];
    if (opened === undefined || answer === undefined) return;
    if (name !== 'unreached') this.#mayBeDone.add(opened.call.requestId);
    if (name === 'accepted') this.#accepted.push(opened.call);
    opened.answer(answer);
  }

  /** Also to calls that nobody waits for any more: these are refused, and change nothing. */
  async #reply(which: number, state: 'processing' | 'completed' | 'failed'): Promise<void> {
    const call = this.#accepted.at(which % MANY);
    if (call?.replyTo == null) return;
    const token = new URL(call.replyTo).searchParams.get('token') ?? '';
    const { control } = await this.#requests;
    const replied = control.reply(call.requestId, token, { state, result: 1 });
    replied.catch((error) => expect(error).toBeInstanceOf(ReachError));
  }

  async #cancel(which: number): Promise<void> {
    const requestId = this.#kept.at(which % MANY);
    if (requestId === undefined) return;
    const { control } = await this.#requests;
    control.cancel(requestId).catch((error) => expect(error).toBeInstanceOf(ReachError));
  }

  async #check(): Promise<void> {
    expect(this.#repeated).toEqual([]);
    for (const { instances, waiting } of this.#fleet.dispatcher.queues()) {
      for (const lane of LANES) expect(waiting[lane]).toBeLessThanOrEqual(LANE_SIZES[lane].queue);
      for (const { instanceId, lanes } of instances) {
        const used = LANES.map((lane) => lanes[lane].used);
        for (const lane of LANES) expect(lanes[lane].used).toBeLessThanOrEqual(lanes[lane].slots);
        const all = used.reduce((sum, count) => sum + count, 0);
        expect(all).toBeLessThanOrEqual(this.#maxConcurrency ?? all);
        expect(all).toBeGreaterThanOrEqual(this.#callsTo(instanceId));
      }
    }
    for (const states of await this.#histories()) {
      expect(states.slice(0, -1).filter(isFinal)).toEqual([]);
      for (const [place, state] of states.slice(1).entries())
        expect([states[place], mayFollow(states[place] as RequestState, state)]).toEqual([
          states[place],
          true,
        ]);
    }
  }

  #callsTo(instanceId: string): number {
    const address = ADDRESSES[instanceId.charCodeAt(0) - 'a'.charCodeAt(0)];
    return this.#transport.open.filter(({ call }) => call.address === address).length;
  }

  /** The states that each kept request went through. A request that was not let in is not known. */
  async #histories(): Promise<RequestState[][]> {
    const { inquiries } = await this.#requests;
    const known = await Promise.all(
      this.#kept.map((requestId) => inquiries.status(requestId).catch(() => undefined)),
    );
    return known.flatMap((status) =>
      status === undefined ? [] : [status.history.map(({ state }) => state)],
    );
  }
}

/** What follows from what happened has happened: none of it waits for more than a few turns. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

it('queue counts that drift, a last event that contradicts the state: no order of requests, answers, replies, cancels, waits and changes of the fleet takes requests or lanes outside their diagrams', async () => {
  const ends = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 10, maxLength: 60 }),
      fc.boolean(),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      async (events, idempotent, maxConcurrency) => {
        const scene = new Scene(idempotent, maxConcurrency);
        for (const each of events) await scene.happen(each);
        for (const end of await scene.end()) ends.set(end, (ends.get(end) ?? 0) + 1);
      },
    ),
    { numRuns: 150 },
  );
  // Otherwise most of the diagram was never walked.
  expect([...ends.keys()]).toEqual(
    expect.arrayContaining(['completed', 'failed', 'cancelled', 'handed_off', 'OVERLOADED']),
  );
}, 240_000);
