import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** The name of this run of this process. Containers have the same numbers of processes, and the same names after a restart. */
export function newReplicaId(): string {
  return `${hostname()}/${process.pid}-${randomBytes(3).toString('hex')}`;
}
