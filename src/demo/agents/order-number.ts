import type { AgentTask } from '../agent-program.js';
import { fault, optional, type Reader, readPayload, refusal } from '../payload-reader.js';

const ORDER_ID = 'an order number of 8 digits';

/** An order number as text or number; people write spaces around it and a # before it. */
const orderId: Reader<string> = (value, pointer) => {
  const digits = String(value).trim().replace(/^#/, '');
  const readable = typeof value === 'string' || typeof value === 'number';
  return readable && /^\d{8}$/.test(digits) ? { value: digits } : fault(pointer, ORDER_ID, value);
};

/**
 * The order that a task is about: the payload's, else the first number of 8 digits in the sentence, else the one that
 * the conversation has been about.
 * @throws PayloadError
 */
export function wantedOrder({ intent, payload, session }: AgentTask): string {
  const fields = readPayload(payload, { order_id: optional(orderId) });
  const spoken = intent.normalize('NFKC').match(/(?<!\d)\d{8}(?!\d)/)?.[0];
  const remembered = orderId(session?.entities?.order_id, '');
  const id = fields.order_id ?? spoken ?? ('value' in remembered ? remembered.value : undefined);
  if (id === undefined) throw refusal('/order_id', ORDER_ID, undefined);
  return id;
}
