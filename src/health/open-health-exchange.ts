import type { Lifecycle } from '../lifecycle.js';
import { HealthExchange, type HealthExchangeParts } from './health-exchange.js';

/** Closed before the prober, whose last results concern nobody. */
export function openHealthExchange({
  lifecycle,
  ...parts
}: HealthExchangeParts & { readonly lifecycle: Lifecycle }): HealthExchange {
  const exchange = new HealthExchange(parts);
  lifecycle.add('health exchange', () => exchange.close());
  return exchange;
}
