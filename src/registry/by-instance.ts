/** A value for each of some instances, found by agent and id. */
export class ByInstance<Value> {
  readonly #agents = new Map<string, Map<string, Value>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(agentName: string, instanceId: string): Value | undefined {
    return this.#agents.get(agentName)?.get(instanceId);
  }

  /** Those of one agent by their ids, in the order in which they came. */
  of(agentName: string): ReadonlyMap<string, Value> {
    return this.#agents.get(agentName) ?? NONE;
  }

  *values(): Generator<Value> {
    for (const instances of this.#agents.values()) yield* instances.values();
  }

  set(agentName: string, instanceId: string, value: Value): void {
    let instances = this.#agents.get(agentName);
    if (instances === undefined) {
      instances = new Map();
      this.#agents.set(agentName, instances);
    }
    if (!instances.has(instanceId)) this.#size += 1;
    instances.set(instanceId, value);
  }

  delete(agentName: string, instanceId: string): void {
    const instances = this.#agents.get(agentName);
    if (!instances?.delete(instanceId)) return;
    this.#size -= 1;
    if (instances.size === 0) this.#agents.delete(agentName);
  }
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
