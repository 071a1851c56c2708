/** One spelling for each address that `checkAddress` lets through: its origin and path, without a slash at the end. */
export function spelt(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/+$/, '');
}

/** The whole URL of an endpoint that a manifest names, under the address of an instance. */
export function endpointUrl(address: string, endpoint: string): string {
  return spelt(address) + endpoint;
}
