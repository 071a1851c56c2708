import { isIP } from 'node:net';
import { parsedUrl } from '../parsed-url.js';
import { checkUrl, forbidden } from './address-guard.js';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Whether a host of the list, as `REACH_ALLOWED_HOSTS` has them, names the one of a URL. */
function names(listed: string, { hostname, port, protocol }: URL): boolean {
  const [, wildcard, host = '', listedPort] = /^(\*\.)?(.*?)(?::(\d+))?$/.exec(listed) ?? [];
  // Without a port that of the scheme is meant: another one is another service.
  const portOfScheme = DEFAULT_PORTS[protocol];
  if ((listedPort ?? portOfScheme) !== (port || portOfScheme)) return false;
  // The parser gives both the same spelling: lower case, punycode, the short form of an IPv6 address.
  const spelling = parsedUrl(`http://${host}`)?.hostname ?? host;
  const called = hostname.replace(/\.$/, '');
  return wildcard === undefined ? called === spelling : isIP(called) === 0 && called.endsWith(`.${spelling}`);
}

/**
 * Whether somebody else's address may be sent something: http or https, no credentials, allowed by the address guard,
 * and on a host that the configuration lists (`example.com`, `*.example.com` for all below it, `example.com:8443`).
 * @returns the address, parsed.
 * @throws ReachError ADDRESS_FORBIDDEN.
 */
export function checkAllowedHost(address: string, hosts: readonly string[]): URL {
  const url = checkUrl(address);
  if (hosts.some((listed) => names(listed, url))) return url;
  throw forbidden('an address on a host that REACH_ALLOWED_HOSTS lists', `the host ${url.host}`);
}
