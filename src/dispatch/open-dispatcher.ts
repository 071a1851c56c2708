import type { InstanceTable } from '../health/instance-table.js';
import type { Lifecycle } from '../lifecycle.js';
import { HttpClient } from '../net/http-client.js';
import { HttpTransport } from '../transport/http-transport.js';
import { Dispatcher, type DispatcherParts } from './dispatcher.js';

interface OpenDispatcherParts extends Omit<DispatcherParts, 'transport'> {
  /** Tells of instances that change. */
  readonly fleet: Pick<InstanceTable, 'onChange'>;
  readonly lifecycle: Lifecycle;
  /** Where tokens for agents may be asked for. */
  readonly allowedHosts: readonly string[];
}

/** A dispatcher with the connections to agents that it needs; at the close, what it has taken ends first. */
export function openDispatcher({
  fleet,
  lifecycle,
  allowedHosts,
  ...parts
}: OpenDispatcherParts): Dispatcher {
  const transport = new HttpTransport({ http: new HttpClient(), clock: parts.clock, allowedHosts });
  lifecycle.add('transport', () => transport.close());
  const dispatcher = new Dispatcher({ ...parts, transport });
  fleet.onChange(({ agentName }) => dispatcher.instanceChanged(agentName));
  lifecycle.add('dispatch', () => dispatcher.close());
  return dispatcher;
}
