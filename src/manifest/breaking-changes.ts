import { isDeepStrictEqual } from 'node:util';
import type { BreakingChange } from '../wire/agents.js';
import { MAX_FIELD_ERRORS } from '../wire/field-errors.js';
import type { Capability, Manifest } from './schema.js';
import { type SchemaBreak, schemaBreaks } from './schema-breaks.js';
import { slices } from './slices.js';

/** How long one manifest may be compared: only a large one full of hostile schemas takes longer. */
const COMPARE_MS = 10_000;

function capabilityBreaks(before: Capability, after: Capability | undefined): readonly SchemaBreak[] {
  if (after === undefined) {
    const sentence = `The capability ${JSON.stringify(before.id)} is gone.`;
    return [{ kind: 'capability_removed', pointer: '', sentence }];
  }
  // From version to version most schemas stay as they are.
  const compared = (one: Capability['inputSchema'], other: typeof one, direction: 'input' | 'output') =>
    isDeepStrictEqual(one, other) ? [] : schemaBreaks(one, other, direction);
  return [
    ...compared(before.inputSchema, after.inputSchema, 'input'),
    ...compared(before.outputSchema, after.outputSchema, 'output'),
  ];
}

/**
 * What callers of the manifest `before` can no longer rely on in `after`, at most 50 changes, in the order of the
 * capabilities of `before`. The event loop is let go at least every few milliseconds.
 *
 * | | input: what callers send | output: what they read |
 * | --- | --- | --- |
 * | a capability or field is gone | breaks | breaks |
 * | a type, a named value less | breaks (`retyped`, `enum_narrowed`) | |
 * | a type, a named value more | | breaks (`retyped`, `enum_widened`) |
 * | a field required that was not | breaks (`newly_required`) | |
 * | a field no longer required | | breaks (`no_longer_required`) |
 *
 * Compared through local `$ref`, `allOf`, `anyOf`, `oneOf`, objects, items and maps. Other keywords (lengths,
 * ranges, patterns, `not`) are not. A pointer leads to where the schema is written, also behind a `$ref`: into
 * `before` for what is gone, else into `after`.
 */
export async function breakingChanges(before: Manifest, after: Manifest): Promise<readonly BreakingChange[]> {
  const pause = slices();
  const until = performance.now() + COMPARE_MS;
  const now = new Map(after.capabilities.map((capability) => [capability.id, capability]));
  const breaking: BreakingChange[] = [];
  for (const capability of before.capabilities) {
    const breaks = capabilityBreaks(capability, now.get(capability.id));
    breaking.push(...breaks.map((each) => ({ capabilityId: capability.id, ...each })));
    if (breaking.length >= MAX_FIELD_ERRORS || performance.now() > until) break;
    await pause();
  }
  return breaking.slice(0, MAX_FIELD_ERRORS);
}
