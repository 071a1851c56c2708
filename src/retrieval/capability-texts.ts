import type { Capability } from '../manifest/schema.js';
import { splitIdentifier } from './fold.js';

/** The texts by which a capability is found. */
export interface CapabilityTexts {
  /** What it is called. */
  readonly name: string;
  /** What it is called and what it does. */
  readonly description: string;
  readonly examples: readonly string[];
  /** Everything a caller's words may overlap with. */
  readonly words: string;
}

export function textsOf(capability: Capability): CapabilityTexts {
  const name = splitIdentifier(capability.name);
  const { description, examples, tags, id } = capability;
  return {
    name,
    description: description === '' ? name : `${name}. ${description}`,
    examples,
    words: [name, splitIdentifier(id), description, ...tags, ...examples].join('\n'),
  };
}
