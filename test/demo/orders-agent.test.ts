import { describe, expect, test } from 'vitest';
import { createOrdersAgent } from '../../src/demo/agents/orders-agent.js';
import { ask, askToTheEnd, faultsOf } from './ask.js';

const agent = createOrdersAgent();

describe('the status of an order', () => {
  test('is found by the number in the sentence', () => {
    const { result, reply } = ask(agent, 'order-status', null, 'where is my order 20231188');
    expect(result).toEqual({
      order_id: '20231188',
      found: true,
      status: 'shipped',
      placed_on: '2023-11-20',
      shipment: { carrier: 'UPS', tracking_number: '1Z999AA10123', expected_on: '2023-11-24' },
    });
    expect(reply).toBe('Order 20231188 is shipped, UPS 1Z999AA10123, expected on 2023-11-24.');
    expect(ask(agent, 'order-status', {}, '我的订单20231002到哪了').reply).toBe(
      '订单 20231002 已发货,顺丰速运 SF1390045567,预计 2023-10-09 送达。',
    );
  });

  test.each([20231188, '20231188', ' #20231188 '])(
    'takes the payload before the sentence: %j',
    (order_id) => {
      expect(ask(agent, 'order-status', { order_id }, 'order 20230417').result).toMatchObject({
        order_id: '20231188',
      });
    },
  );

  test('reads full-width digits', () => {
    expect(ask(agent, 'order-status', null, '订单20230417').result).toMatchObject({ status: 'packed' });
  });

  test('of an unknown order is that it is unknown', () => {
    const { result, reply } = ask(agent, 'order-status', { order_id: '99999999' });
    expect(result).toEqual({ order_id: '99999999', found: false });
    expect(reply).toBe('There is no order 99999999.');
  });

  test('is remembered in the conversation, which later questions are about', async () => {
    const { entities } = ask(agent, 'order-status', null, 'where is my order 20231188');
    expect(entities).toEqual({ order_id: '20231188' });
    const session = { sessionId: 's', entities: entities ?? {} };
    const later = { intent: 'and how much was it', session };
    const { answer } = await askToTheEnd(agent, 'invoice-total', null, later);
    expect(answer).toMatchObject({ result: { order_id: '20231188' }, entities });
    const other = { intent: 'how much was order 20230417', session };
    expect((await askToTheEnd(agent, 'invoice-total', null, other)).answer).toMatchObject({
      entities: { order_id: '20230417' },
    });
    const strange = { intent: 'and how much was it', session: { entities: { order_id: { a: 1 } } } };
    await expect(askToTheEnd(agent, 'invoice-total', null, strange)).rejects.toThrow('/order_id');
  });

  test.each([
    [null, 'where is my order', 'nothing'],
    [{ order_id: '123' }, '', 'the string "123"'],
    [{ order_id: ['20231188'] }, '', 'an array of 1'],
    [null, 'order 202311880', 'nothing'],
  ])('needs a number: %j %s', (payload, intent, received) => {
    expect(faultsOf(agent, 'order-status', payload, intent)).toEqual([
      { pointer: '/order_id', expected: 'an order number of 8 digits', received },
    ]);
  });
});

describe("a customer's orders", () => {
  test('are listed newest first, by number, name or sentence', () => {
    const byId = ask(agent, 'list-orders', { customer: { id: 'C-1003' } }).result;
    expect(byId).toEqual({
      customer: { id: 'C-1003', name: 'Maria Schmidt' },
      orders: [
        { order_id: '20230417', placed_on: '2023-04-03', status: 'packed', total: '250.61 EUR' },
        { order_id: '20224410', placed_on: '2022-12-19', status: 'delivered', total: '88.89 EUR' },
      ],
    });
    expect(ask(agent, 'list-orders', { customer: { name: 'Maria Schmidt' } }).result).toEqual(byId);
    expect(ask(agent, 'list-orders', null, 'what has maria schmidt bought').result).toEqual(byId);
  });

  test('can be narrowed to a status', () => {
    const { result, reply } = ask(agent, 'list-orders', { status: 'paid' }, '客户王芳的订单');
    expect(result).toMatchObject({ orders: [{ order_id: '20230958' }] });
    expect(reply).toBe('王芳有 1 个订单:20230958 (已付款)。');
  });

  test('of someone unknown are none, of nobody cannot be asked for', () => {
    expect(ask(agent, 'list-orders', { customer: { id: 'C-9' } }).result).toEqual({
      customer: null,
      orders: [],
    });
    expect(faultsOf(agent, 'list-orders', null, 'show the orders')).toMatchObject([{ pointer: '/customer' }]);
    expect(faultsOf(agent, 'list-orders', { status: 'lost' })).toMatchObject([{ pointer: '/status' }]);
  });
});

describe('cancelling', () => {
  test('is possible until an order is shipped, and a second time changes nothing', () => {
    const own = createOrdersAgent();
    const payload = { order_id: '20230958', reason: 'wrong_item' };
    const first = ask(own, 'cancel-order', payload, '取消');
    expect(first.result).toEqual({
      order_id: '20230958',
      found: true,
      cancelled: true,
      status: 'cancelled',
      refund: '532.23 CNY',
      reason: 'wrong_item',
    });
    expect(ask(own, 'cancel-order', payload, '取消')).toEqual(first);
    expect(ask(own, 'order-status', { order_id: '20230958' }).result).toMatchObject({ status: 'cancelled' });
    expect(ask(agent, 'order-status', { order_id: '20230958' }).result).toMatchObject({ status: 'paid' });
  });

  test('is refused afterwards, with the reason', () => {
    const { result, reply } = ask(agent, 'cancel-order', null, 'cancel order 20231188');
    expect(result).toMatchObject({ cancelled: false, status: 'shipped', refund: null });
    expect(reply).toBe('Order 20231188 is shipped and can no longer be cancelled.');
    expect(ask(agent, 'cancel-order', { order_id: '11111111' }).result).toMatchObject({ found: false });
  });
});

test('an invoice adds up to the cent, after discount, with shipping and VAT', () => {
  // 4 x 7.99 = 31.96; 15 % are 4.79; 27.17 + 4.90 = 32.07; 19 % are 6.09.
  expect(ask(agent, 'invoice-total', { order_id: '20231201' }).result).toEqual({
    order_id: '20231201',
    found: true,
    currency: 'EUR',
    subtotal: 31.96,
    discount: 4.79,
    shipping: 4.9,
    vat: 6.09,
    total: 38.16,
  });
  expect(ask(agent, 'invoice-total', null, '订单 20231201 含税多少').reply).toBe(
    '订单 20231201 含税合计 38.16 EUR,其中税额 6.09 EUR。',
  );
});
