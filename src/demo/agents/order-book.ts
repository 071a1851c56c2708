import data from '../data/orders.json' with { type: 'json' };

export const ORDER_STATUSES = ['paid', 'packed', 'shipped', 'delivered', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

interface OrderItem {
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unit_price_cents: number;
}

interface Shipment {
  readonly carrier: string;
  readonly tracking_number: string;
  readonly expected_on: string;
}

/** An order as the data file has it. Money is in cents. */
export interface Order {
  readonly id: string;
  readonly customer_id: string;
  readonly placed_on: string;
  readonly status: OrderStatus;
  readonly items: readonly OrderItem[];
  readonly discount_percent: number;
  readonly shipping_cents: number;
  readonly vat_percent: number;
  readonly currency: string;
  readonly shipment: Shipment | null;
}

export interface Customer {
  readonly id: string;
  readonly name: string;
}

/** Amounts in cents; they add up: subtotal - discount + shipping + VAT = total. */
export interface Invoice {
  readonly subtotal: number;
  readonly discount: number;
  readonly shipping: number;
  readonly vat: number;
  readonly total: number;
}

/** The orders of the data file, and what has been cancelled since this process started. */
export class OrderBook {
  readonly customers: readonly Customer[] = data.customers;
  readonly #orders = new Map((data.orders as readonly Order[]).map((order) => [order.id, order]));

  order(id: string): Order | undefined {
    return this.#orders.get(id);
  }

  /** The orders of a customer, newest first. */
  ordersOf(customerId: string): readonly Order[] {
    return [...this.#orders.values()]
      .filter((order) => order.customer_id === customerId)
      .toSorted((a, b) => b.placed_on.localeCompare(a.placed_on));
  }

  /** Cancels an order that has not left the warehouse; any other stays as it is. Returns it as it is now. */
  cancel(order: Order): Order {
    if (order.status !== 'paid' && order.status !== 'packed') return order;
    const cancelled: Order = { ...order, status: 'cancelled' };
    this.#orders.set(order.id, cancelled);
    return cancelled;
  }
}

/** The invoice of an order. Every step is rounded to whole cents; VAT is due on goods and shipping. */
export function invoiceOf(order: Order): Invoice {
  const subtotal = order.items.reduce((sum, item) => sum + item.quantity * item.unit_price_cents, 0);
  const discount = Math.round((subtotal * order.discount_percent) / 100);
  const net = subtotal - discount + order.shipping_cents;
  const vat = Math.round((net * order.vat_percent) / 100);
  return { subtotal, discount, shipping: order.shipping_cents, vat, total: net + vat };
}
