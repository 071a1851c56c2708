import { looksEnglish } from '../embedding/embedding-space.js';
import { fieldsOf, type PayloadField, requiredPointers } from '../manifest/payload-fields.js';
import type { Capability } from '../manifest/schema.js';
import type { Agent } from '../registry/catalogue.js';
import { capabilityKey } from '../wire/capability-key.js';
import { foldFieldName } from './fold.js';

/** A capability with all that retrieval and routing look at besides vectors, worked out once when it is published. */
export interface IndexedCapability {
  /** Its identity, `agent_name/id`. */
  readonly key: string;
  readonly agent: Agent;
  readonly capability: Capability;
  /** The fields that its input schema knows, by folded name. */
  readonly fields: ReadonlyMap<string, PayloadField>;
  readonly requiredPointers: readonly string[];
  /** Whether its name and description look English. */
  readonly isEnglish: boolean;
  /**
   * The same for two capabilities that share id and declared schema, and so may stand in for each other.
   * Undefined without a schema: two teams that declare nothing do not agree on anything by that.
   */
  readonly kinship: string | undefined;
}

export function indexCapability(agent: Agent, capability: Capability): IndexedCapability {
  const { inputSchema, id, name, description } = capability;
  return {
    key: capabilityKey(agent.manifest.agentName, id),
    agent,
    capability,
    fields: new Map(fieldsOf(inputSchema).map((field) => [foldFieldName(field.name), field])),
    requiredPointers: requiredPointers(inputSchema),
    isEnglish: looksEnglish(`${name} ${description}`),
    kinship: inputSchema === true ? undefined : `${id}\n${JSON.stringify(inputSchema)}`,
  };
}
