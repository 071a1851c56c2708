import { ReachError } from '../../src/errors.js';
import { parseManifest } from '../../src/manifest/parse-manifest.js';
import type { PayloadValidators } from '../../src/manifest/payload-validators.js';

/** The smallest manifest, with more fields where they are given. */
export function manifestWith(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { agent_name: 'reports', manifest_version: 1, capabilities: [{ id: 'a', name: 'A' }], ...fields };
}

/** A manifest of one capability `a` with this input schema. */
export function manifestOf(inputSchema: unknown): Record<string, unknown> {
  return manifestWith({ capabilities: [{ id: 'a', name: 'A', input_schema: inputSchema }] });
}

export async function validatorsOf(inputSchema: unknown): Promise<PayloadValidators> {
  return (await parseManifest(manifestOf(inputSchema))).validators;
}

/** The faults for which a document is refused, `pointer: expected` each; none where it is accepted. */
export async function faultsOf(document: unknown): Promise<readonly string[]> {
  try {
    await parseManifest(document);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ReachError) || thrown.code !== 'MANIFEST_INVALID') throw thrown;
    return thrown.errors.map(({ pointer, expected }) => `${pointer}: ${expected}`);
  }
}
