import { expect, test } from 'vitest';
import { choiceIn } from '../../src/sessions/open-question.js';

const choices = [
  { agentName: 'calendar-agent', capabilityId: 'cancel-event', name: 'Call off a meeting 取消会议' },
  { agentName: 'orders-agent', capabilityId: 'cancel-order', name: 'Cancel an order 取消订单' },
  { agentName: 'travel-agent', capabilityId: '退票', name: '退票' },
];
const open = [{ routeId: 'r1', choices }];

test.each([
  ['2', 'cancel-order'],
  [' ２。', 'cancel-order'],
  ['3)', '退票'],
  ['#2', 'cancel-order'],
  ['第二个', 'cancel-order'],
  ['第 2 项', 'cancel-order'],
  ['二', 'cancel-order'],
  ['1号', 'cancel-event'],
  ['Option 3', '退票'],
  ['the second one', 'cancel-order'],
  ['First!', 'cancel-event'],
  ['orders-agent/cancel-order', 'cancel-order'],
  ['Cancel-Event', 'cancel-event'],
  ['cancel an order', 'cancel-order'],
  ['取消会议', 'cancel-event'],
  ['退票', '退票'],
])('%s answers the question', (message, capabilityId) => {
  expect(choiceIn(message, open)).toMatchObject({ routeId: 'r1', capabilityId });
});

test.each(['0', '4', '第四个', 'option', '个', '取消', 'a', 'where is my order'])(
  '%s does not',
  (message) => {
    expect(choiceIn(message, open)).toBeUndefined();
  },
);

test('nothing answers where no question is open', () => {
  expect(choiceIn('1', [])).toBeUndefined();
});
