import type { Change } from '../wire/events.js';
import type { Decision } from '../wire/route.js';

interface Entry {
  readonly addrVersion: number;
  /** Undefined: it is only known that an older address no longer holds. */
  readonly address: string | undefined;
}

/** Instances that are remembered at most; the one that was heard of longest ago is forgotten first. */
const CAPACITY = 1_000;

const keyOf = (agentName: string, instanceId: string) => `${agentName}/${instanceId}`;

/**
 * The addresses of instances that decisions have named. What has the highest `addr_version` counts, whatever comes
 * first: a change drops an older address, and a decision that was made before it does not bring that back.
 */
export class AddressBook {
  /** In the order in which they were last heard of. */
  readonly #entries = new Map<string, Entry>();

  address(agentName: string, instanceId: string): string | undefined {
    return this.#entries.get(keyOf(agentName, instanceId))?.address;
  }

  learn({ targetAgent, instanceId, targetAddress, addrVersion }: Decision): void {
    if (targetAgent === null || instanceId === null || targetAddress === null || addrVersion === null) return;
    const known = this.#entries.get(keyOf(targetAgent, instanceId));
    if (known !== undefined && known.addrVersion > addrVersion) return;
    this.#set(keyOf(targetAgent, instanceId), { addrVersion, address: targetAddress });
  }

  /** One that went has no address any more; one that has another is not known by the old one any more. */
  apply({ agent, instance, to, addrVersion }: Change): void {
    if (agent === null || instance === null || addrVersion === null) return;
    const key = keyOf(agent, instance);
    const known = this.#entries.get(key);
    if (known === undefined || known.addrVersion > addrVersion) return;
    const holds = known.addrVersion === addrVersion && to !== null;
    this.#set(key, { addrVersion, address: holds ? known.address : undefined });
  }

  /** Changes were missed: nothing that is known can be relied on. */
  clear(): void {
    this.#entries.clear();
  }

  #set(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= CAPACITY) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
