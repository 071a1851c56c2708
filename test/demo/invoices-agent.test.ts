import { describe, expect, test } from 'vitest';
import { createInvoicesAgent } from '../../src/demo/agents/invoices-agent.js';
import { ask, faultsOf } from './ask.js';

const create = () => createInvoicesAgent(() => '2025-03-10');
const LINE = { description: 'Training', quantity: 2, unit_price: 900.5 };

describe('a new invoice', () => {
  test('adds up to the cent, with the VAT of the country, and takes the next number', () => {
    const agent = create();
    const payload = {
      customer: { name: 'Alpina', country: 'FR' },
      lines: [LINE, { description: 'Handbook', quantity: 3, unit_price: 0.33 }],
      terms_days: 14,
    };
    // 1801.00 + 0.99 = 1801.99; 20 % are 360.398.
    const { result, reply } = ask(agent, 'create-invoice', payload);
    expect(result).toEqual({
      invoice_number: 'INV-2045',
      net: 1801.99,
      vat: 360.4,
      total: 2162.39,
      currency: 'EUR',
      due_on: '2025-03-24',
    });
    expect(reply).toBe('Invoice INV-2045 to Alpina: 2162.39 EUR including VAT, due on 2025-03-24.');
    const next = ask(agent, 'create-invoice', { customer: { name: '北辰', country: 'CN' }, lines: [LINE] });
    expect(next.result).toMatchObject({ invoice_number: 'INV-2046', vat: 108.06, currency: 'CNY' });
    expect(next.result).toMatchObject({ due_on: '2025-04-09' });
  });

  test.each([
    [null, ['/customer', '/lines']],
    [{ customer: { name: ' ' }, lines: [] }, ['/customer/name', '/lines']],
    [{ customer: { name: 'A', country: 'XX' }, lines: [LINE] }, ['/customer/country']],
    [{ customer: { name: 'A' }, lines: [{ ...LINE, quantity: 1.5 }] }, ['/lines/0/quantity']],
    [{ customer: { name: 'A' }, lines: [{ ...LINE, unit_price: 0.001 }] }, ['/lines/0/unit_price']],
    [{ customer: { name: 'A' }, lines: [LINE], issued_on: '2025-02-30' }, ['/issued_on']],
    [{ customer: { name: 'A' }, lines: [LINE], terms_days: 15 }, ['/terms_days']],
  ])('makes no sense as %j', (payload, pointers) => {
    expect(faultsOf(create(), 'create-invoice', payload).map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

describe('the status of an invoice', () => {
  test.each([
    ['INV-2038', 'overdue', 1190],
    ['INV-2040', 'paid', 0],
    ['INV-2042', 'partly_paid', 500],
    ['INV-2044', 'open', 1785],
  ])('%s is %s', (number, state, outstanding) => {
    const { result } = ask(create(), 'invoice-status', null, `has invoice ${number.toLowerCase()} been paid`);
    expect(result).toMatchObject({ invoice_number: number, state, outstanding });
  });

  test('is that of the day that is asked about', () => {
    const payload = { invoice_number: 'INV-2041', as_of: '2025-03-05' };
    expect(ask(create(), 'invoice-status', payload).result).toMatchObject({ state: 'open' });
    const dayLater = { ...payload, as_of: '2025-03-06' };
    expect(ask(create(), 'invoice-status', dayLater, '付了吗').reply).toBe(
      'Atelier Blanc的发票 INV-2041 已逾期,2025-03-05 到期,未付 2400.00 EUR。',
    );
  });

  test('of an unknown one is that it is unknown, of none cannot be asked for', () => {
    const unknown = ask(create(), 'invoice-status', { invoice_number: 'INV-9999' });
    expect(unknown.result).toEqual({ invoice_number: 'INV-9999', found: false });
    expect(faultsOf(create(), 'invoice-status', null, 'invoice 20')).toMatchObject([
      { pointer: '/invoice_number', received: 'nothing' },
    ]);
    expect(faultsOf(create(), 'invoice-status', { invoice_number: 'INV-2041x' })).toMatchObject([
      { pointer: '/invoice_number' },
    ]);
  });
});

test('overdue invoices are listed with days and sums a currency, the oldest first', () => {
  const { result } = ask(create(), 'overdue-invoices', null, 'who owes us money');
  expect(result).toMatchObject({
    as_of: '2025-03-10',
    invoices: [
      { invoice_number: 'INV-2038', days_late: 32 },
      { invoice_number: 'INV-2039', days_late: 25 },
      { invoice_number: 'INV-2041', days_late: 5 },
    ],
    totals: { EUR: 3590, CNY: 11_200 },
  });
  const narrowed = { min_days_late: 10, customer: 'nordwind' };
  expect(ask(create(), 'overdue-invoices', narrowed, '逾期').reply).toBe(
    '逾期发票 1 张(括号内为逾期天数):INV-2038 Nordwind GmbH (32);合计 1190.00 EUR。',
  );
  expect(ask(create(), 'overdue-invoices', { as_of: '2025-01-01' }).result).toMatchObject({ invoices: [] });
});

describe('a payment', () => {
  test('lowers what is outstanding until nothing is', () => {
    const agent = create();
    const half = ask(agent, 'record-payment', { amount: 250.5 }, 'for INV-2042');
    expect(half.result).toMatchObject({ outstanding: 249.5, state: 'partly_paid', paid_on: '2025-03-10' });
    const rest = ask(agent, 'record-payment', { invoice_number: 'inv-2042', amount: 249.5, method: 'cash' });
    expect(rest.result).toMatchObject({ outstanding: 0, state: 'paid', method: 'cash' });
    expect(ask(agent, 'invoice-status', { invoice_number: 'INV-2042' }).result).toMatchObject({
      state: 'paid',
    });
  });

  test.each([
    [{ invoice_number: 'INV-2042', amount: 500.01 }, '/amount'],
    [{ invoice_number: 'INV-2042', amount: 0 }, '/amount'],
    [{ invoice_number: 'INV-2042', amount: '500' }, '/amount'],
    [{ invoice_number: 'INV-2999', amount: 1 }, '/invoice_number'],
    [{ amount: 1 }, '/invoice_number'],
  ])('makes no sense as %j', (payload, pointer) => {
    expect(faultsOf(create(), 'record-payment', payload)).toMatchObject([{ pointer }]);
  });
});
