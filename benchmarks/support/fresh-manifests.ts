import type { ManifestDocument } from '../../src/manifest/schema.js';
import { freshTexts } from './fresh-texts.js';

const CAPABILITIES = 5;
const EXAMPLES = 5;
const TEXTS_A_CAPABILITY = EXAMPLES + 1;

/** Manifests of five capabilities with five examples each, no text of which is in two of them. */
export function freshManifests(count: number): ManifestDocument[] {
  const texts = freshTexts(count * CAPABILITIES * TEXTS_A_CAPABILITY).values();
  const next = () => texts.next().value ?? '';
  return Array.from({ length: count }, (_, agent) => ({
    agent_name: `fresh-agent-${agent}`,
    manifest_version: 1,
    capabilities: Array.from({ length: CAPABILITIES }, (_, index) => ({
      id: `capability-${index}`,
      name: `task ${agent * CAPABILITIES + index}`,
      description: next(),
      examples: Array.from({ length: EXAMPLES }, next),
      input_schema: {
        type: 'object',
        properties: { customer: { type: 'string' }, since: { type: 'string', format: 'date' } },
        required: ['customer'],
      },
    })),
  }));
}
