import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { languageOf } from '../asker-language.js';
import { type CalendarDate, calendarDate, currentDate } from '../calendar-date.js';
import { money } from '../money.js';
import { integer, listOf, object, oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import { type RecordNumber, requiredNumber } from '../record-number.js';
import { type Order, OrderBook } from './order-book.js';
import { wantedOrder } from './order-number.js';
import { payoutOn, RefundLedger, type RefundState, type ReturnedItem, returnBy } from './refund-ledger.js';

const REFUND_ID: RecordNumber = {
  field: 'refund_id',
  pattern: /RF-\d{4}(?!\d)/,
  expected: 'a refund number such as RF-1001',
};
const REASONS = ['damaged', 'missing', 'not_as_described', 'no_reason'] as const;

const REFUSAL_WORDS = {
  not_shipped: { zh: '尚未发货,请直接取消订单', en: 'it has not been shipped: cancel the order instead' },
  cancelled: { zh: '订单已取消', en: 'the order is cancelled' },
  nothing_left: { zh: '已全部退款', en: 'everything has been refunded' },
} as const;
type RefusedBecause = keyof typeof REFUSAL_WORDS;

const STATE_WORDS: Readonly<Record<RefundState, { readonly zh: string; readonly en: string }>> = {
  filed: { zh: '已登记,等待审核', en: 'filed and waits for approval' },
  approved: { zh: '审核通过,等待打款', en: 'approved' },
  paid_out: { zh: '已打款', en: 'paid out' },
  rejected: { zh: '未通过审核', en: 'rejected' },
};

interface WantedItem {
  readonly sku: string;
  readonly quantity: number | undefined;
}

/** Refunds of the orders of a file. What is filed stays as long as the program runs. */
export function createRefundsAgent(today: () => CalendarDate = currentDate): AgentProgram {
  const book = new OrderBook();
  const ledger = new RefundLedger();
  return new Map([
    ['request-refund', (task: AgentTask) => requestRefund(knownOrder(book, task), ledger, task, today())],
    ['refund-status', (task: AgentTask) => refundStatus(ledger, task)],
    ['check-return-window', (task: AgentTask) => checkReturnWindow(knownOrder(book, task), task, today())],
  ]);
}

function requestRefund(order: Order, ledger: RefundLedger, task: AgentTask, today: CalendarDate): TaskAnswer {
  const { items, reason = 'no_reason' } = readPayload(task.payload, {
    items: optional(
      listOf(object({ sku: text, quantity: optional(integer(1, 1000)) }), 'an array of at least 1 item'),
    ),
    reason: optional(oneOf(REASONS)),
  });
  const returned = returnedItems(order, ledger, items);
  const because = refusedBecause(order, returned);
  const language = languageOf(task.intent);
  if (because !== undefined) {
    const word = REFUSAL_WORDS[because][language];
    const said = {
      zh: `订单 ${order.id} 不能退款:${word}。`,
      en: `No refund for order ${order.id}: ${word}.`,
    };
    return {
      result: { state: 'refused', order_id: order.id, refused_because: because },
      reply: said[language],
    };
  }
  const { id, state, amount_cents: cents, currency } = ledger.file(order, returned, today);
  const said = {
    zh: `退款单 ${id} 已登记,可退 ${money(cents, currency)}。`,
    en: `Refund ${id} over ${money(cents, currency)} is filed.`,
  };
  return {
    result: {
      state,
      refund_id: id,
      order_id: order.id,
      items: returned,
      amount: cents / 100,
      currency,
      reason,
    },
    reply: said[language],
  };
}

function refundStatus(ledger: RefundLedger, task: AgentTask): TaskAnswer {
  const id = requiredNumber(task, REFUND_ID);
  const refund = ledger.refund(id);
  const language = languageOf(task.intent);
  if (refund === undefined) {
    const said = { zh: `没有找到退款单 ${id}。`, en: `There is no refund ${id}.` };
    return { result: { refund_id: id, found: false }, reply: said[language] };
  }
  const { state, order_id, amount_cents: cents, currency } = refund;
  const expectedOn = payoutOn(refund);
  const word = STATE_WORDS[state][language];
  const said = {
    zh: `退款单 ${id}(${money(cents, currency)})${word}${expectedOn === null ? '' : `,预计 ${expectedOn} 到账`}。`,
    en: `Refund ${id} over ${money(cents, currency)} is ${word}${expectedOn === null ? '' : `; expected on ${expectedOn}`}.`,
  };
  return {
    result: {
      refund_id: id,
      found: true,
      order_id,
      state,
      amount: cents / 100,
      currency,
      expected_on: expectedOn,
    },
    reply: said[language],
  };
}

function checkReturnWindow(order: Order, { intent, payload }: AgentTask, today: CalendarDate): TaskAnswer {
  const { as_of: asOf = today } = readPayload(payload, { as_of: optional(calendarDate) });
  const { id, shipment } = order;
  const language = languageOf(intent);
  if (shipment === null) {
    const said = {
      zh: `订单 ${id} 没有发货,无需退货。`,
      en: `Order ${id} was not shipped: nothing to return.`,
    };
    return { result: { order_id: id, as_of: asOf, items: [] }, reply: said[language] };
  }
  const items = order.items.map(({ sku, name }) => {
    const by = returnBy(sku, shipment.expected_on);
    return { sku, name, return_by: by, returnable: asOf <= by };
  });
  const listed = items.map(
    ({ name, return_by, returnable }) => `${name} ${return_by} ${returnable ? '✓' : '✗'}`,
  );
  const said = {
    zh: `订单 ${id} 的退货截止日:${listed.join(';')}。`,
    en: `Order ${id} may be returned until: ${listed.join('; ')}.`,
  };
  return { result: { order_id: id, as_of: asOf, items }, reply: said[language] };
}

/** What goes back: the wanted items, each in full where no quantity is said, or all that is left. @throws PayloadError */
function returnedItems(
  order: Order,
  ledger: RefundLedger,
  wanted: readonly WantedItem[] | undefined,
): readonly ReturnedItem[] {
  const left = ledger.leftOf(order);
  const chosen = wanted?.map(({ sku, quantity }, index): ReturnedItem => {
    const pointer = `/items/${index}`;
    const item = left.find((each) => each.sku === sku);
    const twice = wanted.findIndex((each) => each.sku === sku) !== index;
    if (item === undefined || twice) {
      throw refusal(`${pointer}/sku`, `one of ${left.map((each) => each.sku).join(', ')}, once`, sku);
    }
    if (quantity !== undefined && item.quantity > 0 && quantity > item.quantity) {
      throw refusal(`${pointer}/quantity`, `at most ${item.quantity}`, quantity);
    }
    return { sku, quantity: item.quantity === 0 ? 0 : (quantity ?? item.quantity) };
  });
  return (chosen ?? left).filter(({ quantity }) => quantity > 0);
}

function refusedBecause({ status }: Order, returned: readonly ReturnedItem[]): RefusedBecause | undefined {
  if (status === 'cancelled') return 'cancelled';
  if (status === 'paid' || status === 'packed') return 'not_shipped';
  return returned.length === 0 ? 'nothing_left' : undefined;
}

/** The order that a task is about. @throws PayloadError where there is none of its number. */
function knownOrder(book: OrderBook, task: AgentTask): Order {
  const id = wantedOrder(task);
  const order = book.order(id);
  if (order === undefined) throw refusal('/order_id', 'the number of an order', id);
  return order;
}
