import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { isLoopback, isThisMachine } from '../../src/net/this-machine.js';

test.each([
  '127.0.0.1',
  '127.8.9.1',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '[::ffff:7f00:1]',
  'localhost',
  'LOCALHOST.',
  'agent.localhost',
])('%s is a loopback address', (host) => {
  expect(isLoopback(host)).toBe(true);
  expect(isThisMachine(host)).toBe(true);
});

test.each(['10.0.0.1', '128.0.0.1', '::2', '[fd00::1]', 'localhost.example', 'notlocalhost', 'agent'])(
  '%s is none',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

test('an address of its own network cards is this machine, another one is not', () => {
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((own = []) => own)) {
    expect(isThisMachine(address)).toBe(true);
    // As a socket shows it that listens on IPv6 too.
    if (family === 'IPv4') expect(isThisMachine(`::ffff:${address}`)).toBe(true);
  }
  // Of the ranges for documentation (RFC 5737, RFC 3849).
  expect(isThisMachine('203.0.113.9')).toBe(false);
  expect(isThisMachine('::ffff:203.0.113.9')).toBe(false);
  expect(isThisMachine('2001:db8::9')).toBe(false);
});
