import type { Lifecycle } from '../lifecycle.js';
import { HttpClient } from '../net/http-client.js';
import { Outbox, type OutboxParts } from './outbox.js';

/** An outbox with its own connections; at the close, the attempts under way end first. */
export function openOutbox({
  lifecycle,
  ...parts
}: Omit<OutboxParts, 'http' | 'random'> & { readonly lifecycle: Lifecycle }): Outbox {
  const http = new HttpClient();
  lifecycle.add('webhooks', () => http.close());
  const outbox = new Outbox({ ...parts, http });
  lifecycle.add('outbox', () => outbox.close());
  return outbox;
}
