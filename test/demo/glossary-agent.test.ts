import { describe, expect, test } from 'vitest';
import { glossaryAgent } from '../../src/demo/agents/glossary-agent.js';
import { ask, faultsOf } from './ask.js';

describe('looking up', () => {
  test.each([
    ['what is the official English for 应收账款', '应收账款', 'accounts receivable'],
    ['how do we translate "Bill of Lading"', 'Bill of Lading', '提单'],
    ['「毛利率」用英文怎么说', '毛利率', 'gross margin'],
    ['churn rates in Chinese?', 'churn rate', '流失率'],
  ])('%s', (intent, term, translation) => {
    const { result, reply } = ask(glossaryAgent, 'look-up-term', null, intent);
    expect(result).toMatchObject({ term, found: true });
    expect(reply).toContain(translation);
  });

  test('gives every domain of a word, or the one that is asked for', () => {
    expect(ask(glossaryAgent, 'look-up-term', { term: 'backlog' }).result).toMatchObject({
      translations: [
        { zh: '待办列表', domain: 'software' },
        { zh: '未交订单', domain: 'sales' },
      ],
    });
    expect(ask(glossaryAgent, 'look-up-term', { term: 'backlog', domain: 'sales' }).result).toMatchObject({
      translations: [{ zh: '未交订单' }],
    });
  });

  test('says what is near where it finds nothing', () => {
    const { result, reply } = ask(glossaryAgent, 'look-up-term', { term: '毛利' }, '毛利怎么说');
    expect(result).toEqual({ term: '毛利', found: false, translations: [], similar: ['毛利率'] });
    expect(reply).toBe('术语表里没有「毛利」。相近的有:毛利率。');
    expect(ask(glossaryAgent, 'look-up-term', { term: 'xyzzy' }).reply).toBe(
      '"xyzzy" is not in the glossary.',
    );
  });

  test('needs a term', () => {
    expect(faultsOf(glossaryAgent, 'look-up-term', null, 'translate it')).toMatchObject([
      { pointer: '/term' },
    ]);
    expect(faultsOf(glossaryAgent, 'look-up-term', { term: 5 })).toMatchObject([{ pointer: '/term' }]);
  });
});

describe('translating known terms', () => {
  const translate = (payload: Record<string, unknown>) =>
    ask(glossaryAgent, 'translate-terms', payload).result;

  test('replaces them whole, the longest first, and leaves the rest', () => {
    expect(translate({ text: 'The lead times of our warehouse mislead a lead.' })).toEqual({
      text: 'The 交货期 of our 仓库 mislead a 线索.',
      target: 'zh',
      replaced: [
        { from: 'lead times', to: '交货期', domain: 'logistics' },
        { from: 'warehouse', to: '仓库', domain: 'logistics' },
        { from: 'lead', to: '线索', domain: 'sales' },
      ],
    });
  });

  test('works from Chinese, beside emoji, and keeps the original where asked to', () => {
    expect(translate({ text: '🚚仓库的安全库存', options: { keep_original: true } })).toMatchObject({
      text: '🚚warehouse (仓库)的safety stock (安全库存)',
      target: 'en',
    });
  });

  test('of a text without any gives the text', () => {
    expect(translate({ text: 'nothing here' })).toEqual({ text: 'nothing here', target: 'zh', replaced: [] });
    expect(faultsOf(glossaryAgent, 'translate-terms', { target: 'fr' })).toMatchObject([
      { pointer: '/text', received: 'nothing' },
      { pointer: '/target', received: 'the string "fr"' },
    ]);
  });
});

test('the terms of a domain are listed, named by field or sentence', () => {
  const byField = ask(glossaryAgent, 'list-domain-terms', { domain: 'hr' });
  expect(byField.result).toMatchObject({ domain: 'hr', count: 6 });
  expect(byField.reply).toContain('年假 = annual leave');
  expect(ask(glossaryAgent, 'list-domain-terms', null, '物流领域有哪些术语').result).toMatchObject({
    domain: 'logistics',
  });
  expect(faultsOf(glossaryAgent, 'list-domain-terms', null, 'list them')).toMatchObject([
    { pointer: '/domain' },
  ]);
});
