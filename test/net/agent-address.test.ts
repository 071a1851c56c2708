import { describe, expect, it } from 'vitest';
import { endpointUrl, spelt } from '../../src/net/agent-address.js';

describe('an address', () => {
  it.each([
    ['http://127.0.0.1:9595', 'http://127.0.0.1:9595'],
    ['http://127.0.0.1:9595/', 'http://127.0.0.1:9595'],
    ['http://127.0.0.1:9595 ', 'http://127.0.0.1:9595'],
    ['http://127.0.0.1:9595?', 'http://127.0.0.1:9595'],
    ['HTTP://Agents.Example:80/Base//#', 'http://agents.example/Base'],
    ['http://[::1]:9595/a b', 'http://[::1]:9595/a%20b'],
  ])('%j is spelt %s, and leads to its endpoints', (address, spelling) => {
    expect(spelt(address)).toBe(spelling);
    expect(endpointUrl(address, '/healthz')).toBe(`${spelling}/healthz`);
  });
});
