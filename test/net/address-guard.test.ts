import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { checkAddress, guardLookup } from '../../src/net/address-guard.js';

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof ReachError ? error.code : `not a ReachError: ${error}`;
  }
  return 'allowed';
};

describe('checkAddress', () => {
  it.each([
    'http://127.0.0.1:9595',
    'http://localhost:9595/base/path',
    'http://[::1]:9595',
    'http://10.0.0.7',
    'http://192.168.1.4:80',
    'http://172.16.0.1',
    'http://[fd12:3456::1]',
    'https://agents.example.com',
    'http://[::ffff:10.0.0.1]',
    'http://[64:ff9b::8.8.8.8]',
    'http://169.253.255.255',
    'http://223.255.255.255',
  ])('allows %s', (address) => {
    expect(codeOf(() => checkAddress(address))).toBe('allowed');
  });

  it.each([
    ['link-local', 'http://169.254.1.1'],
    ['metadata', 'http://169.254.169.254/latest/meta-data'],
    ['metadata, decimal', 'http://2852039166'],
    ['metadata, hexadecimal', 'http://0xa9.0xfe.0xa9.0xfe'],
    ['metadata, octal', 'http://0251.0376.0251.0376'],
    ['metadata, three parts', 'http://169.254.43518'],
    ['metadata, a dot at the end', 'http://169.254.169.254.'],
    ['metadata, full-width digits', 'http://①⑥⑨.254.169.254'],
    ['metadata, percent-encoded', 'http://%31%36%39.254.169.254'],
    ['metadata, mapped', 'http://[::ffff:169.254.169.254]'],
    ['metadata, mapped, hexadecimal', 'http://[::ffff:a9fe:a9fe]'],
    ['metadata, translated', 'http://[::ffff:0:169.254.169.254]'],
    ['metadata, NAT64', 'http://[64:ff9b::169.254.169.254]'],
    ['metadata, 6to4', 'http://[2002:a9fe:a9fe::1]'],
    ['metadata of AWS, IPv6', 'http://[fd00:ec2::254]'],
    ['metadata of Google, IPv6', 'http://[fd20:ce::254]'],
    ['metadata of Alibaba', 'http://100.100.100.200'],
    ['metadata of Oracle', 'http://192.0.0.192'],
    ['metadata of Azure', 'http://168.63.129.16'],
    ['link-local, IPv6', 'http://[fe80::1]'],
    ['link-local, IPv6, end of the range', 'http://[febf::1]'],
    ['unspecified', 'http://0.0.0.0:80'],
    ['unspecified, short', 'http://0'],
    ['unspecified, IPv6', 'http://[::]'],
    ['multicast', 'http://224.0.0.1'],
    ['multicast, IPv6', 'http://[ff02::1]'],
    ['broadcast', 'http://255.255.255.255'],
    ['scheme', 'ftp://127.0.0.1'],
    ['file', 'file:///etc/passwd'],
    ['credentials', 'http://user:secret@127.0.0.1'],
    ['user name', 'http://user@127.0.0.1'],
    ['query', 'http://127.0.0.1/?a=1'],
    ['fragment', 'http://127.0.0.1/#a'],
    ['no address', 'not an address'],
    ['nothing', ''],
  ])('refuses %s: %s', (_, address) => {
    expect(codeOf(() => checkAddress(address))).toBe('ADDRESS_FORBIDDEN');
  });

  it('says what was expected, and keeps credentials to itself', () => {
    expect(() => checkAddress('http://user:secret@127.0.0.1')).toThrow(
      expect.objectContaining({
        errors: [expect.objectContaining({ pointer: '', expected: 'an address without credentials' })],
        message: expect.not.stringContaining('secret'),
      }),
    );
  });
});

describe('guardLookup', () => {
  const resolvingTo =
    (...addresses: LookupAddress[]): LookupFunction =>
    (_hostname, _options, callback) =>
      callback(null, addresses);

  const look = (lookup: LookupFunction, all: boolean) =>
    new Promise<{ code: string | undefined; found: unknown; family: number | undefined }>((resolve) => {
      lookup('agent.example', { all }, (error, found, family) => {
        resolve({ code: error?.code, found, family });
      });
    });

  const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };
  const metadata: LookupAddress = { address: '169.254.169.254', family: 4 };
  const linkLocal: LookupAddress = { address: 'fe80::1%eth0', family: 6 };

  it('passes on what may be called, in the shape that was asked for', async () => {
    const lookup = guardLookup(resolvingTo(loopback));
    expect(await look(lookup, true)).toMatchObject({ found: [loopback] });
    expect(await look(lookup, false)).toMatchObject({ found: '127.0.0.1', family: 4 });
  });

  it('leaves out what may not be called', async () => {
    const lookup = guardLookup(resolvingTo(linkLocal, metadata, loopback));
    expect(await look(lookup, true)).toMatchObject({ found: [loopback] });
    expect(await look(lookup, false)).toMatchObject({ found: '127.0.0.1' });
  });

  it('fails where nothing is left', async () => {
    const lookup = guardLookup(resolvingTo(metadata, linkLocal));
    expect(await look(lookup, true)).toMatchObject({ code: 'ADDRESS_FORBIDDEN', found: [] });
  });

  it('passes on a failed lookup', async () => {
    const lookup = guardLookup((_hostname, _options, callback) => {
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    });
    expect(await look(lookup, true)).toMatchObject({ code: 'ENOTFOUND' });
  });
});
