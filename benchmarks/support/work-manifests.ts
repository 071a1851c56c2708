import type { ManifestDocument } from '../../src/manifest/schema.js';

/** What agents that do as the payload says can do: to read may be repeated, to write may not. */
export const CAPABILITIES = [
  { id: 'read', name: 'Read the archive', idempotent: true },
  { id: 'write', name: 'Write into the archive', idempotent: false },
] as const;

export type WorkCapability = (typeof CAPABILITIES)[number]['id'];

const INPUT_SCHEMA = {
  type: 'object',
  required: ['work_ms', 'way'],
  properties: { work_ms: { type: 'number' }, way: { enum: ['plain', 'stream', 'later'] } },
};

/** An intent that the agents declare word for word, so that everybody is sure of it. */
export const INTENTS: Readonly<Record<WorkCapability, string>> = {
  read: 'read page 7 of the archive',
  write: 'write page 7 of the archive',
};

/** An agent whose instances are at these addresses. Those that this makes may stand in for each other. */
export function workManifest(agentName: string, addresses: readonly string[]): ManifestDocument {
  return {
    agent_name: agentName,
    manifest_version: 1,
    capabilities: CAPABILITIES.map((capability) => ({
      ...capability,
      examples: [INTENTS[capability.id]],
      input_schema: INPUT_SCHEMA,
    })),
    instances: addresses.map((address, index) => ({ instance_id: `i${index}`, address })),
  };
}
