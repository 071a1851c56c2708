import type { FieldError } from '../errors.js';

/** How a payload stands against a capability's input schema. `errors` is empty where it fits. */
export interface PayloadCheck {
  /** Pointers of required fields that are not there (nested ones too). */
  readonly missing: readonly string[];
  readonly errors: readonly FieldError[];
}

/** The compiled schemas of one manifest: one Ajv for all of them, freed with the manifest. */
export interface PayloadValidators {
  check(capabilityId: string, payload: unknown): PayloadCheck;
}
