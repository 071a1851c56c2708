import { expect, test } from 'vitest';
import { leansOnTopic } from '../../src/routing/follow-up.js';

test.each([
  'and for last month?',
  'OK, and on Saturday?',
  'what about Vienna',
  'same for checkout',
  'only those over 60 days',
  'now to production',
  'by quarter instead',
  'Thursday maybe?',
  '那上个月的呢？',
  'RF-1002 那笔呢',
  '好的，还有 KB-105',
  '换成后天的',
  '只看支付服务',
])('%s leans on what was said', (intent) => {
  expect(leansOnTopic(intent)).toBe(true);
});

test.each([
  'where is my order 20231188',
  'and how do I send it back?',
  'and what is for lunch?',
  'but please call me',
  'now tell me a joke',
  'android phones',
  'I would like to hear a very long story about a dragon and its friends too',
  '查一下订单 20230958 的物流',
  '那怎么退货呢？',
  '今晚吃什么呢',
  '还有什么好看的电影',
])('%s says itself what it wants', (intent) => {
  expect(leansOnTopic(intent)).toBe(false);
});
