import { describe, expect, it } from 'vitest';
import { checkAllowedHost } from '../../src/net/allowed-hosts.js';

describe('an address on a host of the list', () => {
  it.each([
    ['https://hooks.example.com/a?b=c#d', 'hooks.example.com'],
    ['https://HOOKS.example.com.', 'hooks.Example.com'],
    ['http://hooks.example.com:80', 'hooks.example.com'],
    ['https://hooks.example.com', 'hooks.example.com:443'],
    ['https://hooks.example.com:8443', 'hooks.example.com:8443'],
    ['https://a.example.org', '*.example.org'],
    ['https://a.b.example.org:9000', '*.example.org:9000'],
    ['http://127.0.0.1:9000', '127.0.0.1:9000'],
    ['http://[::1]:9000', '[0:0:0:0:0:0:0:1]:9000'],
    ['https://bücher.example', 'bücher.example'],
  ])('%s is allowed by %s', (address, listed) => {
    expect(checkAllowedHost(address, ['elsewhere.example', listed]).href).toBe(new URL(address).href);
  });
});

describe('an address that is forbidden', () => {
  it.each([
    ['another host', 'https://evil.example', 'hooks.example.com'],
    ['the host at the end of another name', 'https://evil-hooks.example.com', 'hooks.example.com'],
    [
      'the host as the beginning of another name',
      'https://hooks.example.com.evil.example',
      'hooks.example.com',
    ],
    ['another port', 'https://hooks.example.com:8443', 'hooks.example.com'],
    ['the port of the other scheme', 'http://hooks.example.com', 'hooks.example.com:443'],
    ['the name above a wildcard', 'https://example.org', '*.example.org'],
    ['a name that only ends alike', 'https://evilexample.org', '*.example.org'],
    ['the metadata address, though it is listed', 'http://169.254.169.254', '169.254.169.254'],
    ['credentials', 'https://me:s3cret@hooks.example.com', 'hooks.example.com'],
    ['another scheme', 'ftp://hooks.example.com', 'hooks.example.com'],
    ['no address', 'hooks.example.com', 'hooks.example.com'],
  ])('%s: %s', (_, address, listed) => {
    expect(() => checkAllowedHost(address, [listed])).toThrow(
      expect.objectContaining({
        code: 'ADDRESS_FORBIDDEN',
        message: expect.not.stringContaining('s3cret'),
      }),
    );
  });

  it('is every one where nothing is listed', () => {
    expect(() => checkAllowedHost('https://hooks.example.com', [])).toThrow(/REACH_ALLOWED_HOSTS/);
  });
});
