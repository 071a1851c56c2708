import { describe, expect, test } from 'vitest';
import { createMailAgent } from '../../src/demo/agents/mail-agent.js';
import { ask, faultsOf } from './ask.js';

const create = () => createMailAgent(() => new Date('2025-03-10T12:00:00Z'));
const found = (payload: Record<string, unknown> | null, intent = '') => {
  const { messages } = ask(create(), 'search-mail', payload, intent).result as {
    messages: { message_id: string }[];
  };
  return messages.map(({ message_id }) => message_id);
};

describe('searching', () => {
  test.each([
    ['find the e-mail from Anna about the contract', 'M-001'],
    ['where is the mail with the hotel confirmation', 'M-003'],
    ['找一下三月的报价单', 'M-007'],
  ])('%s', (intent, first) => {
    expect(found(null, intent)[0]).toBe(first);
  });

  test('takes filters from the payload, and unread from the sentence', () => {
    expect(found({ query: 'lease' })).toEqual(['M-006', 'M-005', 'M-004']);
    expect(found({ query: 'lease', folder: 'inbox', since: '2025-02-21' })).toEqual(['M-006']);
    expect(found({ from: 'LANDLORD', unread: false })).toEqual(['M-004']);
    expect(found(null, 'show my unread messages')).toEqual(['M-007', 'M-006', 'M-003']);
    expect(found({ query: 'lease', limit: 1 })).toEqual(['M-006']);
    expect(found({ query: 'zeppelin' })).toEqual([]);
    expect(found({ query: 'zeppelin', folder: 'inbox' })).toEqual([]);
  });

  test('needs something to look for', () => {
    expect(faultsOf(create(), 'search-mail', null)).toMatchObject([{ pointer: '/query' }]);
    expect(faultsOf(create(), 'search-mail', { query: '', since: 'May', limit: 0 })).toMatchObject([
      { pointer: '/query' },
      { pointer: '/since' },
      { pointer: '/limit' },
    ]);
  });
});

describe('sending', () => {
  const MAIL = { to: ['Anna@reach.example', 'x@y.example'], subject: 'Zeppelin', body: 'It lands at four.' };

  test('puts a message among those sent, once a recipient, and points out strangers', () => {
    const agent = create();
    expect(ask(agent, 'send-mail', { ...MAIL, cc: ['anna@reach.example'] }).result).toEqual({
      message_id: 'M-009',
      thread_id: 'T-06',
      sent_at: '2025-03-10T12:00:00.000Z',
      recipients: ['anna@reach.example', 'x@y.example'],
      external: ['x@y.example'],
      importance: 'normal',
    });
    expect(ask(agent, 'search-mail', { query: 'zeppelin', folder: 'sent' }).result).toMatchObject({
      messages: [{ message_id: 'M-009' }],
    });
  });

  test.each([
    [{ ...MAIL, to: ['Anna'] }, '/to/0'],
    [{ ...MAIL, to: ['a@b..example'] }, '/to/0'],
    [{ ...MAIL, to: [] }, '/to'],
    [{ ...MAIL, cc: ['a b@c.example'] }, '/cc/0'],
    [{ ...MAIL, subject: ' ' }, '/subject'],
    [{ ...MAIL, importance: 'urgent' }, '/importance'],
  ])('makes no sense as %j', (payload, pointer) => {
    expect(faultsOf(create(), 'send-mail', payload)).toMatchObject([{ pointer }]);
  });
});

describe('a thread', () => {
  test('is summed up: writers, time, and the questions that nobody has answered', () => {
    const { result } = ask(create(), 'summarise-thread', null, 'summarise the mails with the landlord');
    expect(result).toEqual({
      thread_id: 'T-03',
      subject: 'Lease of the second floor',
      messages: 3,
      writers: [
        { address: 'landlord@hafen-immo.example', messages: 2 },
        { address: 'me@reach.example', messages: 1 },
      ],
      from: '2025-02-20T10:00:00Z',
      to: '2025-02-26T15:05:00Z',
      open_questions: ['When can we meet to sign?', 'And who will sign for you?'],
    });
  });

  test('may be Chinese, may hold no question, and must exist', () => {
    expect(ask(create(), 'summarise-thread', { thread_id: 'T-04' }).result).toMatchObject({
      open_questions: [expect.stringContaining('请问需要多少台')],
    });
    expect(ask(create(), 'summarise-thread', null, '总结 T-05').reply).toMatch(/待回复:无$/);
    expect(faultsOf(create(), 'summarise-thread', { thread_id: 'T-99' })).toMatchObject([
      { pointer: '/thread_id' },
    ]);
    expect(faultsOf(create(), 'summarise-thread', null)).toMatchObject([{ pointer: '/thread_id' }]);
  });
});
