import { describe } from 'vitest';
import { hasBalancer } from '../../benchmarks/support/balancer.js';

const isThere = hasBalancer();
const LACK = 'no haproxy: Debian and Ubuntu have it as apt-get install haproxy';

/** Tests with the balancer itself: skipped, with the reason in their name, where it is not installed. */
export function describeWithBalancer(name: string, tests: () => void): void {
  describe.skipIf(!isThere)(`${name}${isThere ? '' : ` (${LACK})`}`, tests);
}
