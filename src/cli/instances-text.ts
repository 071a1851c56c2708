import type { InstanceList, InstanceStatus } from '../wire/instances.js';
import { type Column, table } from './table.js';

const COLUMNS: readonly Column[] = [
  { heading: 'instance', align: 'left' },
  { heading: 'state', align: 'left' },
  { heading: 'address', align: 'left' },
  { heading: 'weight', align: 'right' },
  { heading: 'version', align: 'left' },
  { heading: 'region', align: 'left' },
  { heading: 'reach', align: 'right' },
  { heading: 'pending', align: 'right' },
  { heading: 'lease', align: 'right' },
  { heading: 'reason', align: 'left' },
];

function leaseText({ leaseMs }: InstanceStatus): string {
  if (leaseMs === null) return 'static';
  return leaseMs === 0 ? 'over' : `${Math.ceil(leaseMs / 1_000)} s`;
}

/** The instances of an agent as a table. Ends with a newline. */
export function instancesText({ instances }: InstanceList): string {
  if (instances.length === 0) return 'no instances\n';
  const rows = instances.map((instance) => [
    instance.instanceId,
    instance.state,
    instance.address,
    String(instance.weight),
    instance.version ?? '-',
    instance.region ?? '-',
    instance.reachability.toFixed(2),
    String(instance.pending),
    leaseText(instance),
    instance.reason,
  ]);
  return table(COLUMNS, rows);
}
