/** Two capabilities of a manifest that nobody takes for each other, in English and Chinese. */
export const refund = {
  id: 'refund',
  name: 'Refund an order',
  description: 'Pays a customer back for an order.',
  examples: ['I want my money back for order 123', 'refund my last order please', '我要退款'],
};
export const leave = {
  id: 'leave',
  name: '申请年假',
  description: '为员工提交请假申请。Submits a leave request.',
  examples: ['我想请三天年假', '帮我请明天的假', 'I want a day off'],
};
