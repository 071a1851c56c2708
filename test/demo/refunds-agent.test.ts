import { describe, expect, test } from 'vitest';
import { createRefundsAgent } from '../../src/demo/agents/refunds-agent.js';
import { ask, faultsOf } from './ask.js';

const create = () => createRefundsAgent(() => '2025-03-10');

describe('a refund', () => {
  test('of items is what they cost after discount and with tax', () => {
    const payload = { order_id: '20231002', items: [{ sku: 'PAD-02', quantity: 1 }], reason: 'damaged' };
    const { result, reply } = ask(create(), 'request-refund', payload, '鼠标垫坏了,退款');
    // 19.00 less 5 % (0.95) is 18.05, and 13 % of it 2.35.
    expect(result).toEqual({
      state: 'filed',
      refund_id: 'RF-1003',
      order_id: '20231002',
      items: [{ sku: 'PAD-02', quantity: 1 }],
      amount: 20.4,
      currency: 'CNY',
      reason: 'damaged',
    });
    expect(reply).toBe('退款单 RF-1003 已登记,可退 20.40 CNY。');
  });

  test('of a whole order is all that was paid, with shipping', () => {
    const { result } = ask(create(), 'request-refund', null, 'I want my money back for order 20231188');
    expect(result).toMatchObject({ amount: 533, currency: 'EUR', items: [{ sku: 'MON-27', quantity: 2 }] });
  });

  test('takes only what is left, and then nothing', () => {
    const agent = create();
    ask(agent, 'request-refund', { order_id: '20231002', items: [{ sku: 'PAD-02', quantity: 1 }] });
    expect(ask(agent, 'request-refund', { order_id: '20231002' }).result).toMatchObject({
      items: [
        { sku: 'MS-03', quantity: 3 },
        { sku: 'PAD-02', quantity: 2 },
      ],
    });
    expect(ask(agent, 'request-refund', { order_id: '20231002', items: [{ sku: 'PAD-02' }] }).result).toEqual(
      {
        state: 'refused',
        order_id: '20231002',
        refused_because: 'nothing_left',
      },
    );
  });

  test.each([
    ['20230417', 'not_shipped', 'it has not been shipped: cancel the order instead'],
    ['20231190', 'cancelled', 'the order is cancelled'],
  ])('of order %s is refused: %s', (order_id, because, words) => {
    const { result, reply } = ask(create(), 'request-refund', { order_id });
    expect(result).toMatchObject({ state: 'refused', refused_because: because });
    expect(reply).toBe(`No refund for order ${order_id}: ${words}.`);
  });

  const order = { order_id: '20231002' };
  test.each([
    [{ order_id: '11111111' }, '/order_id'],
    [null, '/order_id'],
    [{ ...order, items: [] }, '/items'],
    [{ ...order, items: [{ sku: 'LAMP-02' }] }, '/items/0/sku'],
    [{ ...order, items: [{ sku: 'MS-03' }, { sku: 'MS-03' }] }, '/items/1/sku'],
    [{ ...order, items: [{ sku: 'MS-03', quantity: 4 }] }, '/items/0/quantity'],
    [{ ...order, reason: 'bored' }, '/reason'],
  ])('makes no sense as %j', (payload, pointer) => {
    expect(faultsOf(create(), 'request-refund', payload)).toMatchObject([{ pointer }]);
  });
});

test('the progress of a refund is told with the day of the money, where there is one', () => {
  expect(ask(create(), 'refund-status', null, '退款单 RF-1001 到账了吗').reply).toBe(
    '退款单 RF-1001(41.53 EUR)审核通过,等待打款,预计 2023-01-09 到账。',
  );
  const rejected = ask(create(), 'refund-status', { refund_id: 'rf-1002' });
  expect(rejected.result).toMatchObject({ state: 'rejected', expected_on: null });
  expect(ask(create(), 'refund-status', { refund_id: 'RF-9999' }).result).toMatchObject({ found: false });
  expect(faultsOf(create(), 'refund-status', null, 'my refund')).toMatchObject([{ pointer: '/refund_id' }]);
});

test('the days to send goods back count from their arrival, fewer for electronics', () => {
  const { result, reply } = ask(create(), 'check-return-window', { as_of: '2023-10-24' }, 'order 20231002');
  expect(result).toMatchObject({
    items: [
      { sku: 'MS-03', return_by: '2023-10-23', returnable: false },
      { sku: 'PAD-02', return_by: '2023-11-08', returnable: true },
    ],
  });
  expect(reply).toBe('Order 20231002 may be returned until: 无线鼠标 2023-10-23 ✗; 鼠标垫 2023-11-08 ✓.');
  expect(ask(create(), 'check-return-window', { order_id: '20230958' }).result).toMatchObject({ items: [] });
});
