import { expect, test } from 'vitest';
import { LexicalIndex } from '../../src/retrieval/lexical-index.js';
import { termsOf } from '../../src/retrieval/terms.js';

function indexOf(...texts: string[]): LexicalIndex {
  const index = new LexicalIndex();
  for (const [id, text] of texts.entries()) index.add(id, termsOf(text));
  return index;
}

const best = (index: LexicalIndex, text: string) => index.scores(termsOf(text)).best(1, () => true)[0];
const scoresOf = (index: LexicalIndex, text: string) =>
  [0, 1].map((id) => index.scores(termsOf(text)).of(id));

test('finds Chinese by characters and their pairs', () => {
  expect(best(indexOf('查询订单状态', '请假申请', '生成周报'), '我想请三天年假')).toBe(1);
});

test('finds English by words, and through a typo by pieces of words', () => {
  const index = indexOf('pivot a table by region', 'convert a spreadsheet', 'order status');
  expect(best(index, 'spreadsheet')).toBe(1);
  expect(best(index, 'spreadshet')).toBe(1);
});

test('full-width letters and case make no difference', () => {
  const index = indexOf('csv to json', 'leave request');
  expect(scoresOf(index, 'ＣＳＶ　ＪＳＯＮ')).toEqual(scoresOf(index, 'csv json'));
});

test('scores lie in 0..1, and words that nobody knows lower them', () => {
  const index = indexOf('convert csv to json', 'order status', 'leave request');
  const known = index.scores(termsOf('csv json')).of(0);
  const diluted = index.scores(termsOf('csv json zebra quantum')).of(0);
  expect(known).toBeGreaterThan(diluted);
  expect(diluted).toBeGreaterThan(0);
  expect(known).toBeLessThanOrEqual(1);
});

test('a text that was removed leaves no trace in the scores of others', () => {
  const index = indexOf('csv to json', 'order status');
  const before = scoresOf(index, 'csv order');
  index.add(2, termsOf('csv csv csv order pizza'));
  index.remove(2);
  expect(scoresOf(index, 'csv order')).toEqual(before);
  expect(best(index, 'pizza')).toBeUndefined();
});

test('a text of white space and signs alone scores nothing', () => {
  const index = indexOf('csv');
  expect(best(index, ' …!? ')).toBeUndefined();
  expect(index.scores(termsOf(' …!? ')).of(0)).toBe(0);
});

test('where the script changes, a word ends: mixed text keeps its characters and its words', () => {
  const index = indexOf('表格转成 JSON', 'leave request');
  const [apart, together] = ['把 CSV 转成 JSON', '把CSV转成JSON'].map((text) =>
    index.scores(termsOf(text)).of(0),
  );
  expect(together).toBe(apart);
  const leave = indexOf('请假 3 天', 'csv');
  expect(scoresOf(leave, '请3天')).toEqual(scoresOf(leave, '请 3 天'));
});

test('a text that is not there is scored as one that is', () => {
  const index = indexOf('convert csv to json', '查询订单状态', 'leave request');
  for (const text of ['csv json', '我的订单到哪了', 'nothing known'])
    expect(index.matchOf(text, '查询订单状态')).toBeCloseTo(index.scores(termsOf(text)).of(1));
});

test('a word is as rare as few texts have it', () => {
  const index = indexOf('order status', 'order list', '订单列表');
  expect(index.rarityOf('status')).toBeGreaterThan(index.rarityOf('order'));
  expect(index.rarityOf('列表')).toBeGreaterThan(index.rarityOf('order'));
});
