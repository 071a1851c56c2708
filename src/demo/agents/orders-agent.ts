import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { type Language, languageOf } from '../asker-language.js';
import { money } from '../money.js';
import { object, oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import {
  type Customer,
  invoiceOf,
  ORDER_STATUSES,
  type Order,
  OrderBook,
  type OrderStatus,
} from './order-book.js';
import { wantedOrder } from './order-number.js';

const STATUS_WORDS: Readonly<Record<Language, Readonly<Record<OrderStatus, string>>>> = {
  zh: { paid: '已付款', packed: '已打包', shipped: '已发货', delivered: '已送达', cancelled: '已取消' },
  en: { paid: 'paid', packed: 'packed', shipped: 'shipped', delivered: 'delivered', cancelled: 'cancelled' },
};

const CANCEL_REASONS = ['changed_mind', 'wrong_item', 'too_slow', 'other'] as const;

/**
 * Orders from a file. What is cancelled stays so as long as the program runs. The order that it has found is an entity of
 * the conversation: "and how much was it?" is about the same.
 */
export function createOrdersAgent(): AgentProgram {
  const book = new OrderBook();
  return new Map([
    ['order-status', (task: AgentTask) => orderStatus(book, task)],
    ['list-orders', (task: AgentTask) => listOrders(book, task)],
    ['cancel-order', (task: AgentTask) => cancelOrder(book, task)],
    ['invoice-total', (task: AgentTask) => invoiceTotal(book, task)],
  ]);
}

function orderStatus(book: OrderBook, task: AgentTask): TaskAnswer {
  const id = wantedOrder(task);
  const order = book.order(id);
  const language = languageOf(task.intent);
  if (order === undefined) return unknownOrder(id, language);
  const { status, placed_on, shipment } = order;
  return {
    result: { order_id: id, found: true, status, placed_on, shipment },
    reply: statusSentence(order, language),
    entities: { order_id: id },
  };
}

function listOrders(book: OrderBook, { intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    customer: optional(object({ id: optional(text), name: optional(text) })),
    status: optional(oneOf(ORDER_STATUSES)),
  });
  const wanted = fields.customer?.id ?? fields.customer?.name;
  const customer = book.customers.find((each) =>
    wanted === undefined ? isNamedIn(intent, each) : each.id === wanted || each.name === wanted,
  );
  const language = languageOf(intent);
  if (customer === undefined) {
    if (wanted === undefined) throw refusal('/customer', 'a customer, by number or name', undefined);
    return {
      result: { customer: null, orders: [] },
      reply: language === 'zh' ? `没有找到客户 ${wanted}。` : `No customer ${wanted} is known.`,
    };
  }
  const orders = book
    .ordersOf(customer.id)
    .filter(({ status }) => fields.status === undefined || status === fields.status)
    .map((order) => ({
      order_id: order.id,
      placed_on: order.placed_on,
      status: order.status,
      total: money(invoiceOf(order).total, order.currency),
    }));
  const ids = orders.map(({ order_id, status }) => `${order_id} (${STATUS_WORDS[language][status]})`);
  return {
    result: { customer, orders },
    reply:
      language === 'zh'
        ? `${customer.name}有 ${orders.length} 个订单:${ids.join('、') || '无'}。`
        : `${customer.name} has ${orders.length} orders: ${ids.join(', ') || 'none'}.`,
  };
}

function cancelOrder(book: OrderBook, task: AgentTask): TaskAnswer {
  const id = wantedOrder(task);
  const { reason = null } = readPayload(task.payload, { reason: optional(oneOf(CANCEL_REASONS)) });
  const before = book.order(id);
  const language = languageOf(task.intent);
  if (before === undefined) return unknownOrder(id, language);
  const after = book.cancel(before);
  const cancelled = after.status === 'cancelled';
  const refund = cancelled ? money(invoiceOf(after).total, after.currency) : null;
  const status = STATUS_WORDS[language][after.status];
  return {
    result: { order_id: id, found: true, cancelled, status: after.status, refund, reason },
    reply: cancelled
      ? language === 'zh'
        ? `订单 ${id} 已取消,将退款 ${refund}。`
        : `Order ${id} is cancelled; ${refund} will be refunded.`
      : language === 'zh'
        ? `订单 ${id} ${status},无法取消。`
        : `Order ${id} is ${status} and can no longer be cancelled.`,
    entities: { order_id: id },
  };
}

function invoiceTotal(book: OrderBook, task: AgentTask): TaskAnswer {
  const id = wantedOrder(task);
  const order = book.order(id);
  const language = languageOf(task.intent);
  if (order === undefined) return unknownOrder(id, language);
  const { subtotal, discount, shipping, vat, total } = invoiceOf(order);
  const { currency } = order;
  return {
    result: {
      order_id: id,
      found: true,
      currency,
      subtotal: subtotal / 100,
      discount: discount / 100,
      shipping: shipping / 100,
      vat: vat / 100,
      total: total / 100,
    },
    reply:
      language === 'zh'
        ? `订单 ${id} 含税合计 ${money(total, currency)},其中税额 ${money(vat, currency)}。`
        : `The invoice of order ${id} comes to ${money(total, currency)}, of which ${money(vat, currency)} is VAT.`,
    entities: { order_id: id },
  };
}

function unknownOrder(id: string, language: Language): TaskAnswer {
  return {
    result: { order_id: id, found: false },
    reply: language === 'zh' ? `没有找到订单 ${id}。` : `There is no order ${id}.`,
  };
}

function statusSentence({ id, status, shipment }: Order, language: Language): string {
  const word = STATUS_WORDS[language][status];
  const carrier = shipment === null ? '' : `${shipment.carrier} ${shipment.tracking_number}`;
  const expected = status === 'shipped' ? shipment?.expected_on : undefined;
  if (language === 'zh') {
    const parts = [`订单 ${id} ${word}`, carrier, expected && `预计 ${expected} 送达`];
    return `${parts.filter(Boolean).join(',')}。`;
  }
  const parts = [`Order ${id} is ${word}`, carrier, expected && `expected on ${expected}`];
  return `${parts.filter(Boolean).join(', ')}.`;
}

function isNamedIn(intent: string, { id, name }: Customer): boolean {
  const sentence = intent.toLowerCase();
  return sentence.includes(id.toLowerCase()) || sentence.includes(name.toLowerCase());
}
