import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');
LOOPBACK.addAddress('::1', 'ipv6');

/** An IPv4 address in the form in which a socket that listens on IPv6 too shows it. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** Whether the host of a URL, a name or an IP address with or without brackets, leads to the machine that calls it. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  const version = isIP(bare);
  if (version !== 0) return LOOPBACK.check(bare, version === 4 ? 'ipv4' : 'ipv6');
  return /(^|\.)localhost\.?$/i.test(bare);
}

/** Whether a connection from this IP address comes from this machine. */
export function isThisMachine(remoteAddress: string): boolean {
  if (isLoopback(remoteAddress)) return true;
  const bare = remoteAddress.replace(MAPPED, '');
  return Object.values(networkInterfaces()).some((own = []) => own.some(({ address }) => address === bare));
}
