import type { FieldError } from '../errors.js';
import { pointerStep } from './json-pointer.js';

interface Place {
  readonly value: object;
  readonly parent: Place | undefined;
  readonly key: string;
}

function pointerTo(place: Place | undefined, key: string): string {
  const steps = [pointerStep(key)];
  for (let at = place; at?.parent !== undefined; at = at.parent) steps.push(pointerStep(at.key));
  return steps.reverse().join('');
}

/** Whether somebody who copies this field by assignment reaches the prototype of all objects. */
export function namesPrototype(key: string, value: unknown): boolean {
  if (key === '__proto__') return true;
  return (
    key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
  );
}

/**
 * What `JSON.parse` lets through and nobody can mean well: keys that reach an object's prototype as soon as
 * somebody copies them by assignment, and numbers beyond a double's range, which would arrive as `null` at an
 * agent. Undefined where there is nothing of the kind. Iterative: safe at any depth.
 */
export function findUnsafeValue(root: unknown): FieldError | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  const open: Place[] = [{ value: root, parent: undefined, key: '' }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const [key, value] of Object.entries(place.value)) {
      if (namesPrototype(key, value)) {
        return {
          pointer: pointerTo(place, key),
          expected: 'no key that reaches a prototype',
          received: `the key ${key}`,
        };
      }
      if (typeof value === 'number' && !Number.isFinite(value)) {
        return {
          pointer: pointerTo(place, key),
          expected: 'a number within the range of a double',
          received: 'a larger one',
        };
      }
      if (typeof value === 'object' && value !== null) open.push({ value, parent: place, key });
    }
  }
  return undefined;
}
