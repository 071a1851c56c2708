import { expect, test } from 'vitest';
import { toSimplified } from '../../src/embedding/simplified-chinese.js';

test.each([
  ['我想請三天年假,後天開始', '我想请三天年假,后天开始'],
  ['臺灣訂單 ORDER-1 的發票於週五寄出', '台湾订单 ORDER-1 的发票于周五寄出'],
  ['龜', '龟'],
  // A radical and a character of compatibility, as they stand in PDFs.
  ['\u2F9E票、\uF902位', '车票、车位'],
])('%s becomes %s', (traditional, simplified) => {
  expect(toSimplified(traditional)).toBe(simplified);
});

test.each([
  ['Simplified Chinese', '把干净的乾坤著作、皇后、里程和头发发给台里'],
  ['Japanese', '会議の資料を東京へ送る'],
  ['English', 'naïve café, 50 %\n𠮷'],
])('%s stays as it is', (_, text) => {
  expect(toSimplified(text)).toBe(text);
});
