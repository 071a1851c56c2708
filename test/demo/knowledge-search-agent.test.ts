import { describe, expect, test } from 'vitest';
import { createKnowledgeSearchAgent } from '../../src/demo/agents/knowledge-search-agent.js';
import { ask, faultsOf } from './ask.js';

const agent = createKnowledgeSearchAgent(() => '2025-03-10');

describe('searching', () => {
  test.each([
    ['search the wiki for the on-call handbook', 'KB-101'],
    ['is there a runbook for database failover', 'KB-102'],
    ['有没有讲密码规范的内部文档', 'KB-107'],
    ['查找差旅制度的文档', 'KB-106'],
  ])('%s', (intent, document_id) => {
    const { result } = ask(agent, 'search-documents', null, intent);
    expect(result).toMatchObject({
      hits: expect.arrayContaining([expect.objectContaining({ document_id })]),
    });
    expect(ask(agent, 'search-documents', { limit: 1 }, intent).result).toMatchObject({
      hits: [{ document_id }],
    });
  });

  test('gives the section, where it fits best', () => {
    const { result, reply } = ask(agent, 'search-documents', { query: 'lost laptop', language: 'en' });
    expect(result).toMatchObject({ hits: [{ document_id: 'KB-105', heading: 'Laptops' }] });
    expect(reply).toBe(
      'KB-105 "Security policy", Laptops: Disks are encrypted. Report a lost laptop within one hour to security.',
    );
  });

  test('finds nothing in what the wiki is not about', () => {
    expect(ask(agent, 'search-documents', null, "what's the capital of France").result).toMatchObject({
      hits: [],
    });
    expect(ask(agent, 'search-documents', null, '珠穆朗玛峰有多高').reply).toBe('知识库里没有找到相关内容。');
    expect(ask(agent, 'search-documents', { query: 'failover', language: 'zh' }).result).toMatchObject({
      hits: [],
    });
    expect(faultsOf(agent, 'search-documents', null)).toMatchObject([{ pointer: '/query' }]);
    expect(faultsOf(agent, 'search-documents', { query: 'x', limit: 21 })).toMatchObject([
      { pointer: '/limit' },
    ]);
  });
});

describe('a document', () => {
  test('is opened by its number, whole or in part', () => {
    const { result } = ask(agent, 'open-document', null, '打开文档 kb-104');
    expect(result).toMatchObject({ title: '代码规范', outline: ['命名', '评审'], sections: [{}, {}] });
    expect(ask(agent, 'open-document', { section: 'escalation' }, 'open KB-103').reply).toBe(
      'Incident process (platform, updated on 2024-09-20)\nEscalation: Severity 1 is told to the management within 30 minutes.',
    );
  });

  test.each([
    [{ document_id: 'KB-999' }, '/document_id'],
    [{ document_id: '104' }, '/document_id'],
    [{ document_id: 'KB-103', section: 'Summary' }, '/section'],
    [null, '/document_id'],
  ])('cannot be opened as %j', (payload, pointer) => {
    expect(faultsOf(agent, 'open-document', payload)).toMatchObject([{ pointer }]);
  });
});

test('documents that nobody has touched for a while are listed with age and owner', () => {
  expect(ask(agent, 'outdated-documents', null, '哪些文档过期了').result).toEqual({
    as_of: '2025-03-10',
    older_than_days: 365,
    documents: [
      { document_id: 'KB-106', title: '差旅制度', owner: 'finance', age_days: 619 },
      { document_id: 'KB-102', title: 'Database failover runbook', owner: 'platform', age_days: 494 },
      { document_id: 'KB-105', title: 'Security policy', owner: 'security', age_days: 392 },
    ],
  });
  const ofPlatform = { owner: 'platform', older_than_days: 494, as_of: '2025-03-10' };
  expect(ask(agent, 'outdated-documents', ofPlatform).result).toMatchObject({ documents: [] });
  expect(faultsOf(agent, 'outdated-documents', { older_than_days: 0 })).toMatchObject([
    { pointer: '/older_than_days' },
  ]);
});
