import { capabilityKey } from '../wire/capability-key.js';

/** An agent, by the names in its manifest. */
interface NamedCapabilities {
  readonly agentName: string;
  readonly capabilities: readonly { readonly id: string }[];
}

/** What labels call the capabilities of a catalogue: by the bare id, or by `agent_name/id`. */
export class CapabilityNames {
  readonly #keys = new Set<string>();
  readonly #keysById = new Map<string, string[]>();

  constructor(agents: readonly NamedCapabilities[]) {
    for (const { agentName, capabilities } of agents) {
      for (const { id } of capabilities) {
        const key = capabilityKey(agentName, id);
        this.#keys.add(key);
        this.#keysById.set(id, [...(this.#keysById.get(id) ?? []), key]);
      }
    }
  }

  /** How many capabilities there are. */
  get size(): number {
    return this.#keys.size;
  }

  /** Whether an `agent_name/id` is one of them. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** All bare ids. */
  ids(): Iterable<string> {
    return this.#keysById.keys();
  }

  /** The capabilities that a label means, as `agent_name/id`: a bare id stands for all that have it. Empty where none has. */
  keysOf(label: string): readonly string[] {
    return this.#keys.has(label) ? [label] : (this.#keysById.get(label) ?? []);
  }

  /** The label of one capability: its bare id where that means no other, else `agent_name/id`. */
  nameOf(agentName: string, id: string): string {
    const key = capabilityKey(agentName, id);
    const [only, second] = this.keysOf(id);
    return only === key && second === undefined ? id : key;
  }
}
