import { fieldsOf, type PayloadField, requiredPointers } from '../manifest/payload-fields.js';
import type { Capability } from '../manifest/schema.js';
import type { Agent } from '../registry/catalogue.js';
import { capabilityKey } from '../wire/capability-key.js';
import { foldFieldName } from './fold.js';
import { centroid, sideBySide } from './vector-math.js';

/** The vectors of a capability's texts; all of unit length. */
export interface CapabilityVectors {
  readonly name: Float32Array;
  readonly description: Float32Array;
  readonly examples: readonly Float32Array[];
  /** The direction of the mean of description and examples. */
  readonly centroid: Float32Array;
}

/** A capability with all that retrieval and routing look at, worked out once when it is published. */
export interface IndexedCapability {
  /** Its identity, `agent_name/id`. */
  readonly key: string;
  readonly agent: Agent;
  readonly capability: Capability;
  readonly vectors: CapabilityVectors;
  /** The fields that its input schema knows, by folded name. */
  readonly fields: ReadonlyMap<string, PayloadField>;
  readonly requiredPointers: readonly string[];
  /**
   * The same for two capabilities that share id and declared schema, and so may stand in for each other.
   * Undefined without a schema: two teams that declare nothing do not agree on anything by that.
   */
  readonly kinship: string | undefined;
}

export function indexCapability(
  agent: Agent,
  capability: Capability,
  vectors: Omit<CapabilityVectors, 'centroid'>,
): IndexedCapability {
  const { inputSchema, id } = capability;
  return {
    key: capabilityKey(agent.manifest.agentName, id),
    agent,
    capability,
    vectors: packed(vectors),
    fields: new Map(fieldsOf(inputSchema).map((field) => [foldFieldName(field.name), field])),
    requiredPointers: requiredPointers(inputSchema),
    kinship: inputSchema === true ? undefined : `${id}\n${JSON.stringify(inputSchema)}`,
  };
}

function packed({ name, description, examples }: Omit<CapabilityVectors, 'centroid'>): CapabilityVectors {
  const middle = centroid([description, ...examples], description.length);
  const [packedName = name, packedDescription = description, packedMiddle = middle, ...packedExamples] =
    sideBySide([name, description, middle, ...examples]);
  return {
    name: packedName,
    description: packedDescription,
    centroid: packedMiddle,
    examples: packedExamples,
  };
}
