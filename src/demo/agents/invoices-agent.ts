import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { languageOf } from '../asker-language.js';
import { type CalendarDate, calendarDate, currentDate, daysFrom } from '../calendar-date.js';
import { amount, money } from '../money.js';
import {
  fault,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  type Reader,
  readPayload,
  refusal,
  text,
} from '../payload-reader.js';
import { type RecordNumber, requiredNumber } from '../record-number.js';
import { COUNTRIES, InvoiceLedger, outstandingOf, stateOf } from './invoice-ledger.js';

const INVOICE_NUMBER: RecordNumber = {
  field: 'invoice_number',
  pattern: /INV-\d{4}(?!\d)/,
  expected: 'an invoice number such as INV-2041',
};
const PAYMENT_METHODS = ['transfer', 'card', 'cash'] as const;
const TERMS_DAYS: readonly unknown[] = [14, 30, 60];
/** In cents: a million for one piece, as the manifest allows, and a thousand millions at once. */
const MAX_PRICE = 100_000_000;
const MAX_PAYMENT = 100_000_000_000;

const STATE_WORDS = {
  zh: { open: '未付款', partly_paid: '部分付款', paid: '已付清', overdue: '已逾期' },
  en: { open: 'open', partly_paid: 'partly paid', paid: 'paid', overdue: 'overdue' },
} as const;

const terms: Reader<number> = (value, pointer) =>
  TERMS_DAYS.includes(value) ? { value: Number(value) } : fault(pointer, 'one of 14, 30, 60', value);

/** Invoices to customers from a file. What is issued and paid stays so as long as the program runs. */
export function createInvoicesAgent(today: () => CalendarDate = currentDate): AgentProgram {
  const ledger = new InvoiceLedger();
  return new Map([
    ['create-invoice', (task: AgentTask) => createInvoice(ledger, task, today())],
    ['invoice-status', (task: AgentTask) => invoiceStatus(ledger, task, today())],
    ['overdue-invoices', (task: AgentTask) => overdueInvoices(ledger, task, today())],
    ['record-payment', (task: AgentTask) => recordPayment(ledger, task, today())],
  ]);
}

function createInvoice(
  ledger: InvoiceLedger,
  { intent, payload }: AgentTask,
  today: CalendarDate,
): TaskAnswer {
  const fields = readPayload(payload, {
    customer: object({ name: text, country: optional(oneOf(COUNTRIES)) }),
    lines: listOf(
      object({ description: text, quantity: integer(1, 100_000), unit_price: amount(0, MAX_PRICE) }),
      'an array of at least 1 line',
    ),
    issued_on: optional(calendarDate),
    terms_days: optional(terms),
  });
  const { invoice, net, vat } = ledger.issue({
    customer: fields.customer.name,
    country: fields.customer.country ?? 'DE',
    lines: fields.lines.map((line) => ({ quantity: line.quantity, unitPrice: line.unit_price })),
    issuedOn: fields.issued_on ?? today,
    termsDays: fields.terms_days ?? 30,
  });
  const { number, customer, currency, due_on, total_cents: total } = invoice;
  const said = {
    zh: `已给${customer}开具发票 ${number}:含税 ${money(total, currency)},${due_on} 到期。`,
    en: `Invoice ${number} to ${customer}: ${money(total, currency)} including VAT, due on ${due_on}.`,
  };
  return {
    result: { invoice_number: number, net: net / 100, vat: vat / 100, total: total / 100, currency, due_on },
    reply: said[languageOf(intent)],
  };
}

function invoiceStatus(ledger: InvoiceLedger, task: AgentTask, today: CalendarDate): TaskAnswer {
  const number = requiredNumber(task, INVOICE_NUMBER);
  const { as_of: asOf = today } = readPayload(task.payload, { as_of: optional(calendarDate) });
  const invoice = ledger.invoice(number);
  const language = languageOf(task.intent);
  if (invoice === undefined) {
    const said = { zh: `没有找到发票 ${number}。`, en: `There is no invoice ${number}.` };
    return { result: { invoice_number: number, found: false }, reply: said[language] };
  }
  const state = stateOf(invoice, asOf);
  const { customer, currency, due_on } = invoice;
  const outstanding = outstandingOf(invoice);
  const word = STATE_WORDS[language][state];
  const said = {
    zh: `${customer}的发票 ${number} ${word},${due_on} 到期,未付 ${money(outstanding, currency)}。`,
    en: `Invoice ${number} to ${customer}, due on ${due_on}, is ${word}; outstanding: ${money(outstanding, currency)}.`,
  };
  return {
    result: {
      invoice_number: number,
      found: true,
      customer,
      state,
      due_on,
      outstanding: outstanding / 100,
      currency,
    },
    reply: said[language],
  };
}

function overdueInvoices(
  ledger: InvoiceLedger,
  { intent, payload }: AgentTask,
  today: CalendarDate,
): TaskAnswer {
  const fields = readPayload(payload, {
    as_of: optional(calendarDate),
    min_days_late: optional(integer(1, 3650)),
    customer: optional(text),
  });
  const asOf = fields.as_of ?? today;
  const wanted = fields.customer?.toLowerCase() ?? '';
  const invoices = ledger
    .overdue(asOf)
    .map((invoice) => ({ invoice, daysLate: daysFrom(invoice.due_on, asOf) }))
    .filter(
      ({ invoice, daysLate }) =>
        daysLate >= (fields.min_days_late ?? 1) && invoice.customer.toLowerCase().includes(wanted),
    );
  const totals = new Map<string, number>();
  for (const { invoice } of invoices) {
    totals.set(invoice.currency, (totals.get(invoice.currency) ?? 0) + outstandingOf(invoice));
  }
  const sums = [...totals].map(([currency, cents]) => money(cents, currency));
  const listed = invoices.map(
    ({ invoice, daysLate }) => `${invoice.number} ${invoice.customer} (${daysLate})`,
  );
  const said = {
    zh: `逾期发票 ${invoices.length} 张(括号内为逾期天数):${listed.join('、') || '无'};合计 ${sums.join('、') || '0'}。`,
    en: `Overdue invoices: ${invoices.length} (days late in brackets): ${listed.join(', ') || 'none'}; in total ${sums.join(', ') || '0'}.`,
  };
  return {
    result: {
      as_of: asOf,
      invoices: invoices.map(({ invoice, daysLate }) => ({
        invoice_number: invoice.number,
        customer: invoice.customer,
        due_on: invoice.due_on,
        days_late: daysLate,
        outstanding: outstandingOf(invoice) / 100,
        currency: invoice.currency,
      })),
      totals: Object.fromEntries([...totals].map(([currency, cents]) => [currency, cents / 100])),
    },
    reply: said[languageOf(intent)],
  };
}

function recordPayment(ledger: InvoiceLedger, task: AgentTask, today: CalendarDate): TaskAnswer {
  const fields = readPayload(task.payload, {
    amount: amount(1, MAX_PAYMENT),
    paid_on: optional(calendarDate),
    method: optional(oneOf(PAYMENT_METHODS)),
  });
  const number = requiredNumber(task, INVOICE_NUMBER);
  const before = ledger.invoice(number);
  if (before === undefined) throw refusal('/invoice_number', 'the number of an issued invoice', number);
  const { currency } = before;
  const outstanding = outstandingOf(before);
  if (fields.amount > outstanding) {
    throw refusal('/amount', `at most the outstanding ${money(outstanding, currency)}`, fields.amount / 100);
  }
  const after = ledger.pay(before, fields.amount);
  const left = outstandingOf(after);
  const paidOn = fields.paid_on ?? today;
  const said = {
    zh: `发票 ${number} 已登记收款 ${money(fields.amount, currency)},还剩 ${money(left, currency)}。`,
    en: `${money(fields.amount, currency)} booked against ${number}; ${money(left, currency)} remain.`,
  };
  return {
    result: {
      invoice_number: number,
      booked: fields.amount / 100,
      outstanding: left / 100,
      currency,
      state: stateOf(after, paidOn),
      paid_on: paidOn,
      method: fields.method ?? 'transfer',
    },
    reply: said[languageOf(task.intent)],
  };
}
