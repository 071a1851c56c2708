import { Type } from 'typebox';
import { type FieldError, ReachError, sentenceOf } from '../errors.js';
import type { InstanceView, InstanceViews } from '../health/instance-view.js';
import type { StateChange } from '../health/state-change.js';
import { AgentName } from '../manifest/schema.js';
import { addressFaults } from '../net/address-guard.js';
import { isLoopback, isThisMachine } from '../net/this-machine.js';
import type { HeartbeatListener } from '../registry/instance.js';
import type { InstanceRegistry } from '../registry/instance-registry.js';
import type { KnownInstance } from '../registry/instance-roster.js';
import type { Registry } from '../registry/registry.js';
import { camelCheckOf, checkOf } from '../wire/check.js';
import {
  type Heartbeat,
  type HeartbeatAnswer,
  HeartbeatSchema,
  type InstanceDetail,
  InstanceId,
  type InstanceList,
  type InstanceStatus,
  type LeaveAnswer,
  type Registered,
  type Registration,
  RegistrationSchema,
} from '../wire/instances.js';
import { type OpenCalls, refuseUnlessFit } from './open-calls.js';

/** From where an instance is registered. */
export interface RegistrationContext {
  /** The IP address of the caller; undefined: this process. */
  readonly remoteAddress?: string;
}

/** Running copies of agents: they register, beat, drain and leave. None of it waits for the catalogue. */
export interface InstanceCalls {
  /**
   * Registers an instance, edits it (from the same address) or lets its lease begin anew. From the moment in which
   * the promise resolves no decision names an older address. The agent need not be in the catalogue.
   * @throws ReachError INVALID_REQUEST, ADDRESS_FORBIDDEN, INSTANCE_TAKEN, INSTANCE_REPLACED, OVERLOADED,
   * STORE_UNAVAILABLE, NOT_READY, CLOSED
   */
  register(
    agentName: string,
    instanceId: string,
    registration: Registration,
    context?: RegistrationContext,
  ): Promise<Registered>;
  /**
   * What an instance says of itself, which lets its lease begin anew.
   * @throws ReachError INVALID_REQUEST, INSTANCE_UNKNOWN, INSTANCE_REPLACED, HEARTBEAT_STALE, NOT_READY, CLOSED
   */
  heartbeat(agentName: string, instanceId: string, heartbeat: Heartbeat): HeartbeatAnswer;
  /**
   * Lets an instance finish what it has and take nothing new. `incarnation`: only this one or an older one.
   * @throws ReachError INSTANCE_UNKNOWN, INSTANCE_STATIC, INSTANCE_REPLACED, STORE_UNAVAILABLE, NOT_READY, CLOSED
   */
  drain(agentName: string, instanceId: string, incarnation?: number): Promise<InstanceDetail>;
  /** A clean leave. `incarnation` as for `drain`. @throws ReachError as drain */
  leave(agentName: string, instanceId: string, incarnation?: number): Promise<LeaveAnswer>;
  /** @throws ReachError INSTANCE_UNKNOWN */
  instance(agentName: string, instanceId: string): InstanceDetail;
  /** All of an agent. @throws ReachError AGENT_UNKNOWN where there is neither a manifest nor an instance */
  instances(agentName: string): InstanceList;
}

/** What became of instances so far. */
export interface InstanceHistories {
  /** The last changes of its state, oldest first. */
  historyOf(agentName: string, instanceId: string): readonly StateChange[];
}

interface InstanceParts {
  readonly registry: Registry;
  readonly instanceRegistry: InstanceRegistry;
  readonly instances: InstanceViews & InstanceHistories & HeartbeatListener;
}

const checkName = checkOf(Type.Object({ agent_name: AgentName, instance_id: InstanceId }));
const checkRegistration = camelCheckOf(RegistrationSchema);
const checkHeartbeat = camelCheckOf(HeartbeatSchema);

/** A loopback address that comes from elsewhere would lead to ourselves. */
function strayLoopback(address: string, pointer: string, remoteAddress: string): FieldError[] {
  const { hostname } = new URL(address);
  if (!isLoopback(hostname) || isThisMachine(remoteAddress)) return [];
  const expected = `an address that leads to the caller's machine from here, since ${remoteAddress} is another one`;
  return [{ pointer, expected, received: `the loopback address ${hostname}` }];
}

/** `isKnown`: of an address that was let in before; an edit repeats it from wherever it is made. */
function addressErrors(
  { address, healthAddress }: Registration,
  { remoteAddress }: RegistrationContext,
  isKnown: (address: string) => boolean,
): FieldError[] {
  const given = Object.entries({ '/address': address, '/health_address': healthAddress });
  return given.flatMap(([pointer, each]) => {
    if (each === undefined) return [];
    const faults = addressFaults(each, pointer);
    if (faults.length > 0 || remoteAddress === undefined || isKnown(each)) return faults;
    return strayLoopback(each, pointer, remoteAddress);
  });
}

const isoTime = (ms: number) => new Date(ms).toISOString();

export function instanceCalls(
  { registry, instanceRegistry, instances }: InstanceParts,
  calls: OpenCalls,
): InstanceCalls {
  function statusOf(known: KnownInstance, view: InstanceView | undefined): InstanceStatus {
    const { instance, leaseMs, lastHeartbeatMs } = known;
    const { agentName: _, healthAddress, region, labels, version, incarnation, ...named } = instance;
    if (view === undefined) throw new ReachError('INTERNAL', `Nothing is known of ${instance.instanceId}.`);
    const { state, reason, since, reachability, pending } = view;
    return {
      ...named,
      healthAddress: healthAddress ?? null,
      region: region ?? null,
      labels: { ...labels },
      version: version ?? null,
      incarnation: incarnation ?? null,
      state,
      reason,
      since: isoTime(since),
      reachability,
      pending,
      leaseMs: leaseMs ?? null,
      lastHeartbeat: lastHeartbeatMs === undefined ? null : isoTime(lastHeartbeatMs),
    };
  }

  function instance(agentName: string, instanceId: string): InstanceDetail {
    const known = instanceRegistry.instance({ agentName, instanceId });
    const view = instances.instancesOf(agentName).find((each) => each.instanceId === instanceId);
    const changes = instances.historyOf(agentName, instanceId);
    const history = changes.toReversed().map(({ atMs, from, to, reason, addrVersion }) => ({
      at: isoTime(atMs),
      from,
      to,
      reason,
      addrVersion,
    }));
    return { agentName, ...statusOf(known, view), history };
  }

  return {
    async register(agentName, instanceId, registration, context = {}) {
      calls.refuseIfClosing();
      refuseUnlessFit(checkName, { agent_name: agentName, instance_id: instanceId });
      refuseUnlessFit(checkRegistration, registration);
      const name = { agentName, instanceId };
      const errors = addressErrors(registration, context, (address) =>
        instanceRegistry.hasRegistered(name, address),
      );
      if (errors.length > 0) throw new ReachError('ADDRESS_FORBIDDEN', sentenceOf(errors), { errors });
      const registered = instanceRegistry.register(name, registration);
      return { ...name, ...(await calls.track(registered)) };
    },

    heartbeat(agentName, instanceId, heartbeat) {
      calls.refuseIfClosing();
      refuseUnlessFit(checkHeartbeat, heartbeat);
      const { commands, ...terms } = instanceRegistry.renew({ agentName, instanceId }, heartbeat, instances);
      return { ...terms, commands: [...commands] };
    },

    async drain(agentName, instanceId, incarnation) {
      calls.refuseIfClosing();
      await calls.track(instanceRegistry.drain({ agentName, instanceId }, incarnation));
      return instance(agentName, instanceId);
    },

    async leave(agentName, instanceId, incarnation) {
      calls.refuseIfClosing();
      await calls.track(instanceRegistry.leave({ agentName, instanceId }, incarnation));
      return { agentName, instanceId };
    },

    instance,

    instances(agentName) {
      const known = instanceRegistry.instancesOf(agentName);
      if (known.length === 0) registry.agent(agentName);
      const views = new Map(instances.instancesOf(agentName).map((view) => [view.instanceId, view]));
      const all = known.map((each) => statusOf(each, views.get(each.instance.instanceId)));
      return { agentName, instances: all };
    },
  };
}
