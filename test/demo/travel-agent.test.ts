import { describe, expect, test } from 'vitest';
import { createTravelAgent } from '../../src/demo/agents/travel-agent.js';
import { ask, faultsOf } from './ask.js';

const create = () => createTravelAgent(() => '2025-03-10');

describe('connections', () => {
  const idsOf = (payload: Record<string, unknown> | null, intent = '') => {
    const { connections } = ask(create(), 'search-connections', payload, intent).result as {
      connections: { connection_id: string }[];
    };
    return connections.map(({ connection_id }) => connection_id);
  };

  test('are found by the cities of the sentence, in its order, and by kind', () => {
    expect(idsOf(null, '查一下后天上海到北京的高铁')).toEqual(['G2', 'G10']);
    expect(idsOf(null, '北京到上海')).toEqual(['G1', 'D709']);
    expect(idsOf(null, 'cheapest train from Berlin to Munich')).toEqual(['ICE803', 'ICE505']);
    expect(idsOf({ from: '上海', to: 'beijing', kind: 'flight' })).toEqual(['MU5101']);
    expect(idsOf({ from: 'Paris', to: '北京' })).toEqual([]);
  });

  test('are sorted as wanted; those over night arrive on the next day', () => {
    expect(idsOf({ from: '上海', to: '北京', sort: 'duration' })).toEqual(['MU5101', 'G2', 'G10']);
    expect(idsOf({ from: '北京', to: '上海', sort: 'price' })).toEqual(['D709', 'G1']);
    expect(ask(create(), 'search-connections', { from: '北京', to: '上海' }).result).toMatchObject({
      connections: [{}, { connection_id: 'D709', duration_minutes: 723 }],
    });
  });

  test.each([
    [null, 'flight to Paris', '/to'],
    [null, 'a train please', '/from'],
    [{ from: 'Rome', to: 'Paris' }, '', '/from'],
    [{ from: 'Paris', to: '巴黎' }, '', '/to'],
    [{ from: 'Paris', to: 'Berlin', sort: 'comfort' }, '', '/sort'],
  ])('make no sense as %j %s', (payload, intent, pointer) => {
    expect(faultsOf(create(), 'search-connections', payload, intent)).toMatchObject([{ pointer }]);
  });
});

describe('a trip', () => {
  const RETURN = { connection_id: 'G1', date: '2025-03-22' };
  const TRIP = { connection_id: 'g2', date: '2025-03-20', return: RETURN, travellers: 2, class: 'first' };

  test('costs both ways, for all travellers, by class', () => {
    // 662.00 x 1.6 = 1059.20, two ways, two people.
    expect(ask(create(), 'book-trip', TRIP, '订票')).toMatchObject({
      result: {
        booking_id: 'TR-0001',
        legs: [{ date: '2025-03-20' }, RETURN],
        total: 4236.8,
        currency: 'CNY',
      },
      reply:
        '已预订 TR-0001:G2 2025-03-20 Shanghai-Beijing,G1 2025-03-22 Beijing-Shanghai,2 人,共 4236.80 CNY。',
    });
    const plain = { connection_id: 'ICE505', date: '2025-03-20' };
    expect(ask(create(), 'book-trip', plain).result).toMatchObject({
      travellers: 1,
      class: 'second',
      total: 79.9,
    });
  });

  test.each([
    [{ connection_id: 'X1', date: '2025-03-20' }, '/connection_id'],
    [{ connection_id: 'G2' }, '/date'],
    [{ ...TRIP, return: { ...RETURN, connection_id: 'G10' } }, '/return/connection_id'],
    [
      { ...TRIP, connection_id: 'ICE505', return: { ...RETURN, connection_id: 'AF1834' } },
      '/return/connection_id',
    ],
    [{ ...TRIP, return: { ...RETURN, connection_id: 'D709', date: '2025-03-19' } }, '/return/date'],
    [{ ...TRIP, travellers: 0 }, '/travellers'],
  ])('makes no sense as %j', (payload, pointer) => {
    expect(faultsOf(create(), 'book-trip', payload)).toMatchObject([{ pointer }]);
  });

  test.each([
    ['2025-03-13', 0],
    ['2025-03-14', 847.36],
    ['2025-03-20', 2118.4],
  ])('handed back on %s costs %d', (cancelled_on, fee) => {
    const agent = create();
    ask(agent, 'book-trip', TRIP);
    const { result } = ask(agent, 'cancel-trip', { cancelled_on }, '退票 TR-0001');
    expect(result).toMatchObject({ fee, currency: 'CNY' });
    expect(faultsOf(agent, 'cancel-trip', { booking_id: 'TR-0001' })).toMatchObject([
      { pointer: '/booking_id' },
    ]);
  });

  test('cannot be handed back once it has begun', () => {
    const agent = create();
    ask(agent, 'book-trip', TRIP);
    const tooLate = { booking_id: 'TR-0001', cancelled_on: '2025-03-21' };
    expect(faultsOf(agent, 'cancel-trip', tooLate)).toMatchObject([{ pointer: '/cancelled_on' }]);
    expect(ask(agent, 'cancel-trip', null, 'cancel TR-0001').result).toMatchObject({
      fee: 0,
      refund: 4236.8,
    });
  });
});

test('an allowance counts days, a hotel nights', () => {
  const payload = { city: '巴黎', from: '2025-03-03', to: '2025-03-06' };
  expect(ask(create(), 'travel-allowance', payload)).toMatchObject({
    result: { city: 'Paris', days: 4, nights: 3, allowance: 232, hotel_limit: 570, currency: 'EUR' },
    reply: 'Paris, days: 4: 232.00 EUR allowance, hotel up to 570.00 EUR.',
  });
  const sameDay = { ...payload, to: '2025-03-03' };
  expect(ask(create(), 'travel-allowance', sameDay).result).toMatchObject({ days: 1, hotel_limit: 0 });
  const pointers = (wrong: Record<string, unknown>) => faultsOf(create(), 'travel-allowance', wrong);
  expect(pointers({ ...payload, to: '2025-03-02' })).toMatchObject([{ pointer: '/to' }]);
  expect(pointers({ ...payload, to: '2025-06-01' })).toMatchObject([{ pointer: '/to' }]);
  expect(pointers({ city: 'Rome' })).toMatchObject([
    { pointer: '/city' },
    { pointer: '/from' },
    { pointer: '/to' },
  ]);
});
