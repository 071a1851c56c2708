import { type CalendarDate, plusDays } from '../calendar-date.js';
import data from '../data/refunds.json' with { type: 'json' };
import { invoiceOf, type Order } from './order-book.js';

export type RefundState = 'filed' | 'approved' | 'paid_out' | 'rejected';

/** Goods that go back: a kind of goods and how many of them. */
export interface ReturnedItem {
  readonly sku: string;
  readonly quantity: number;
}

export interface Refund {
  readonly id: string;
  readonly order_id: string;
  readonly state: RefundState;
  readonly filed_on: CalendarDate;
  readonly amount_cents: number;
  readonly currency: string;
  readonly items: readonly ReturnedItem[];
}

/** The refunds of the data file, and what has been filed since this process started. */
export class RefundLedger {
  readonly #refunds = new Map((data.refunds as readonly Refund[]).map((refund) => [refund.id, refund]));

  refund(id: string): Refund | undefined {
    return this.#refunds.get(id);
  }

  /** What of an order has not been refunded yet, nor is about to be. */
  leftOf(order: Order): readonly ReturnedItem[] {
    const refunded = [...this.#refunds.values()]
      .filter(({ order_id, state }) => order_id === order.id && state !== 'rejected')
      .flatMap(({ items }) => items);
    return order.items.map(({ sku, quantity }) => {
      const back = refunded.filter((item) => item.sku === sku);
      return { sku, quantity: quantity - back.reduce((sum, item) => sum + item.quantity, 0) };
    });
  }

  /** Files a refund of items that are left of an order. */
  file(order: Order, items: readonly ReturnedItem[], on: CalendarDate): Refund {
    const refund: Refund = {
      id: `RF-${1001 + this.#refunds.size}`,
      order_id: order.id,
      state: 'filed',
      filed_on: on,
      amount_cents: refundable(order, items),
      currency: order.currency,
      items,
    };
    this.#refunds.set(refund.id, refund);
    return refund;
  }
}

/** What items cost: after discount, with VAT, in cents. Shipping comes back only with the whole order. */
function refundable(order: Order, returned: readonly ReturnedItem[]): number {
  const items = order.items.flatMap((item) => {
    const { quantity = 0 } = returned.find(({ sku }) => sku === item.sku) ?? {};
    return quantity > 0 ? [{ ...item, quantity }] : [];
  });
  const whole =
    items.length === order.items.length &&
    items.every(({ sku, quantity }) =>
      order.items.some((item) => item.sku === sku && item.quantity === quantity),
    );
  return invoiceOf({ ...order, items, shipping_cents: whole ? order.shipping_cents : 0 }).total;
}

/** The last day on which goods may be sent back that arrived on a day. */
export function returnBy(sku: string, arrivedOn: CalendarDate): CalendarDate {
  const kind = data.electronics.some((prefix) => sku.startsWith(`${prefix}-`)) ? 'electronics' : 'ordinary';
  return plusDays(arrivedOn, data.return_days[kind]);
}

/** When the money of a refund arrives; null where that is not known, or over. */
export function payoutOn({ state, filed_on }: Refund): CalendarDate | null {
  return state === 'approved' ? plusDays(filed_on, data.payout_days) : null;
}
