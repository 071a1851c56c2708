import { type FieldText, fieldTextsOf } from '../manifest/field-texts.js';
import type { Capability } from '../manifest/schema.js';
import { splitIdentifier } from './fold.js';

/** The texts by which a capability is found. The first four are views of the same: some callers say what, some how. */
export interface CapabilityTexts {
  /** What it is called. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** What it is called and what it does. */
  readonly summary: string;
  /** And what it needs to know. */
  readonly full: string;
  readonly examples: readonly string[];
  /** Everything that its team wrote about it, for a caller's words to match. */
  readonly words: string;
  /** What its schema says of the fields that it takes; empty where examples tell more of how callers speak. */
  readonly fieldWords: string;
}

function textOf({ name, description }: FieldText): string {
  return description === '' ? splitIdentifier(name) : `${splitIdentifier(name)}: ${description}`;
}

export function textsOf(capability: Capability): CapabilityTexts {
  const { description, examples, tags, id, inputSchema } = capability;
  const name = splitIdentifier(capability.name);
  const summary = description === '' ? name : `${name}. ${description}`;
  const fields = fieldTextsOf(inputSchema).map(textOf).join('; ');
  return {
    name,
    description: description === '' ? name : description,
    summary,
    full: fields === '' ? summary : `${summary} ${fields}`,
    examples,
    words: [name, splitIdentifier(id), description, ...tags, ...examples].join('\n'),
    fieldWords: examples.length === 0 ? fields : '',
  };
}
