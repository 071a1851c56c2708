import { expect, it } from 'vitest';
import { CapabilityNames } from '../../src/evaluation/capability-names.js';
import { manifestOf } from '../support/candidates.js';

const names = new CapabilityNames([
  manifestOf('a', [{ id: 'list' }, { id: 'pay' }, { id: 'x/y' }]),
  manifestOf('b', [{ id: 'list' }, { id: 'a/pay' }]),
]);

it('calls a capability by its bare id where that is unique, else by agent and id', () => {
  expect(names.nameOf('a', 'pay')).toBe('pay');
  expect(names.nameOf('a', 'list')).toBe('a/list');
  expect(names.nameOf('b', 'list')).toBe('b/list');
  expect(names.nameOf('a', 'x/y')).toBe('x/y');
});

it('never calls two capabilities the same', () => {
  expect(names.nameOf('b', 'a/pay')).toBe('b/a/pay');
  expect(names.keysOf('a/pay')).toEqual(['a/pay']);
});

it('finds whom a label means', () => {
  expect(names.keysOf('list')).toEqual(['a/list', 'b/list']);
  expect(names.keysOf('b/list')).toEqual(['b/list']);
  expect(names.keysOf('nobody')).toEqual([]);
  expect(names.size).toBe(5);
});
