import type { Lifecycle } from '../lifecycle.js';
import { HttpClient } from '../net/http-client.js';
import { HttpTransport } from '../transport/http-transport.js';
import { Dispatcher, type DispatcherParts } from './dispatcher.js';

/** A dispatcher with the connections to agents that it needs; at the close, what it has taken ends first. */
export function openDispatcher({
  lifecycle,
  allowedHosts,
  ...parts
}: Omit<DispatcherParts, 'transport'> & {
  readonly lifecycle: Lifecycle;
  /** Where tokens for agents may be asked for. */
  readonly allowedHosts: readonly string[];
}): Dispatcher {
  const transport = new HttpTransport({ http: new HttpClient(), clock: parts.clock, allowedHosts });
  lifecycle.add('transport', () => transport.close());
  const dispatcher = new Dispatcher({ ...parts, transport });
  lifecycle.add('dispatch', () => dispatcher.close());
  return dispatcher;
}
