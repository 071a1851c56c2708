import { BlockList, isIP, type LookupFunction } from 'node:net';
import { type FieldError, ReachError, sentenceOf } from '../errors.js';
import { LruMap } from '../lru-map.js';
import { parsedUrl } from '../parsed-url.js';

/**
 * IPv4 ranges that are never called: "this network", link-local (where most clouds keep their metadata),
 * the metadata addresses that lie elsewhere (Alibaba, Oracle, Azure), multicast, and reserved with broadcast.
 */
const FORBIDDEN_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** The same for IPv6: unspecified, link-local, the metadata addresses of AWS and Google, multicast. */
const FORBIDDEN_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['::', 128],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['ff00::', 8],
];

/** Prefixes of IPv6 under which an IPv4 address hides: mapped, translated (RFC 2765), NAT64 (RFC 6052). */
const IPV4_INSIDE_IPV6 = ['::ffff:', '::ffff:0:', '64:ff9b::'] as const;

function sixToFour(ipv4: string): string {
  const hex = ipv4.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return `2002:${hex.slice(0, 2).join('')}:${hex.slice(2).join('')}::`;
}

function forbiddenAddresses(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of FORBIDDEN_IPV4) {
    list.addSubnet(network, prefix, 'ipv4');
    for (const outer of IPV4_INSIDE_IPV6) list.addSubnet(outer + network, 96 + prefix, 'ipv6');
    list.addSubnet(sixToFour(network), 16 + prefix, 'ipv6');
  }
  for (const [network, prefix] of FORBIDDEN_IPV6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

const FORBIDDEN = forbiddenAddresses();

/** What was found of hosts that are called again and again: it depends on nothing but their text. */
const FOUND = new LruMap<string, boolean>(4_000);

/** True for an IP address that is never called. `host` may be a name (false) and may carry brackets or a zone. */
function isForbidden(host: string): boolean {
  const known = FOUND.get(host);
  if (known !== undefined) return known;
  const found = isForbiddenAddress(host);
  FOUND.set(host, found);
  return found;
}

function isForbiddenAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$|%.*$/g, '');
  const version = isIP(address);
  return version !== 0 && FORBIDDEN.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** The error of an address that may not be called. `received` tells of it without credentials. */
export function forbidden(expected: string, received: string): ReachError {
  const error: FieldError = { pointer: '', expected, received };
  return new ReachError('ADDRESS_FORBIDDEN', sentenceOf([error]), { errors: [error] });
}

/**
 * The part of `checkAddress` that holds for every URL that somebody else names: http or https, no credentials, a host
 * that may be called.
 * @throws ReachError ADDRESS_FORBIDDEN.
 */
export function checkUrl(address: string): URL {
  const url = parsedUrl(address);
  if (url === undefined) throw forbidden('an http or https address', 'text that is not an address');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw forbidden('an http or https address', `an address of scheme ${url.protocol.slice(0, -1)}`);
  }
  // The credentials themselves stay out of the message: it travels into logs and answers.
  if (url.username !== '' || url.password !== '') {
    throw forbidden('an address without credentials', 'an address with a user name or password');
  }
  checkHost(url);
  return url;
}

/**
 * Whether an address that a manifest or a request names may be called: http or https, no credentials, no query
 * or fragment, not link-local, metadata, unspecified, multicast or broadcast, in whatever notation (the URL
 * parser turns decimal, hexadecimal and octal hosts into dotted ones first). Loopback and private networks
 * are allowed: agents live there. A name is checked when it is resolved, by `guardLookup`.
 * @returns the address, parsed.
 * @throws ReachError ADDRESS_FORBIDDEN.
 */
export function checkAddress(address: string): URL {
  const url = checkUrl(address);
  if (url.search !== '' || url.hash !== '') {
    throw forbidden(
      'an address without query and fragment',
      `an address that ends in ${url.search}${url.hash}`,
    );
  }
  return url;
}

/** What is wrong with an address that stands at `pointer` of an input; nothing where it may be called. */
export function addressFaults(address: string, pointer: string): FieldError[] {
  try {
    checkAddress(address);
    return [];
  } catch (error) {
    if (!(error instanceof ReachError)) throw error;
    return error.errors.map((fault) => ({ ...fault, pointer }));
  }
}

/** The part of `checkAddress` that holds for every outgoing request. @throws ReachError ADDRESS_FORBIDDEN. */
export function checkHost(url: URL): void {
  if (isForbidden(url.hostname)) {
    throw forbidden('an address that agents may have', `the reserved address ${url.hostname}`);
  }
}

/**
 * A lookup that gives only addresses that may be called, so that a name which was harmless when it was
 * registered cannot lead elsewhere when it is called (DNS rebinding). The connection is made to the very
 * addresses that were checked here. Fails with ADDRESS_FORBIDDEN where none is left.
 */
export function guardLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error !== null) return callback(error, []);
      const addresses =
        typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found;
      const allowed = addresses.filter(({ address }) => !isForbidden(address));
      const [first] = allowed;
      if (first === undefined) {
        const received = addresses.map(({ address }) => address).join(', ');
        return callback(forbidden(`a name of an address that agents may have (${hostname})`, received), []);
      }
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}
