import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OutboxMessage } from '../../src/outbox/message.js';
import type { OutboxStore } from '../../src/outbox/outbox-store.js';
import type { OpenedStore } from './catalogue-store.contract.js';

const LIMITS = { messages: 3, chars: 100 };
const message = (messageId: string, more: Partial<OutboxMessage> = {}): OutboxMessage => ({
  messageId,
  url: 'https://one.example/hook?key=1',
  form: 'signed',
  body: '{"text":"a\\u0000b 周报"}',
  secretRef: undefined,
  ...more,
});
const elsewhere = { url: 'https://two.example:8443/hook' };

/** What every OutboxStore does, whatever it is kept in. */
export function outboxStoreContract(name: string, open: () => Promise<OpenedStore<OutboxStore>>): void {
  describe(`${name} as an OutboxStore`, () => {
    let opened: OpenedStore<OutboxStore>;
    let store: OutboxStore;
    const add = (each: OutboxMessage, nowMs = 0, team = 't') => store.add(team, each, nowMs, LIMITS);

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('knows nothing at first', async () => {
      expect(await store.take('t', 1_000, 2_000, [])).toBeUndefined();
      expect(await store.nextDueAt('t', [])).toBeUndefined();
      expect(await store.find('t', 'm')).toBeUndefined();
      expect(await store.waiting('t')).toBe(0);
    });

    test('hands over what has been due for longest, once until its time is over, of the same team', async () => {
      const second = message('second', { secretRef: 'env:SECRET' });
      await add(second, 20);
      await add(message('first'), 10);
      expect(await store.take('u', 100, 200, [])).toBeUndefined();
      expect(await store.take('t', 5, 200, [])).toBeUndefined();
      expect(await store.take('t', 100, 200, [])).toEqual({
        ...message('first'),
        attempts: 0,
        lastError: null,
      });
      expect(await store.take('t', 100, 250, [])).toEqual({ ...second, attempts: 0, lastError: null });
      expect(await store.take('t', 199, 300, [])).toBeUndefined();
      expect(await store.nextDueAt('t', [])).toBe(200);
      expect(await store.take('t', 200, 300, [])).toMatchObject({ messageId: 'first' });
    });

    test('hands over nothing to the hosts that are to be left out', async () => {
      await add(message('one'), 10);
      await add(message('two', elsewhere), 20);
      expect(await store.nextDueAt('t', ['one.example'])).toBe(20);
      expect(await store.take('t', 100, 200, ['one.example'])).toMatchObject({ messageId: 'two' });
      expect(await store.take('t', 100, 200, ['one.example', 'two.example:8443'])).toBeUndefined();
    });

    test('keeps an id once, while it waits and after it has ended', async () => {
      expect(await add(message('m'))).toBe('added');
      expect(await add(message('m', elsewhere))).toBe('known');
      await store.settle(
        't',
        'm',
        0,
        { state: 'taken', attempts: 1, lastError: null, nextAtMs: undefined },
        5,
      );
      expect(await add(message('m'))).toBe('known');
      expect(await add(message('m'), 0, 'u')).toBe('added');
      expect(await store.waiting('t')).toBe(0);
    });

    test('takes no more messages and no more text than may wait', async () => {
      expect(await add(message('long', { body: 'x'.repeat(101) }))).toBe('full');
      for (const id of ['a', 'b', 'c']) expect(await add(message(id))).toBe('added');
      expect(await add(message('d'))).toBe('full');
      await store.settle(
        't',
        'a',
        0,
        { state: 'given_up', attempts: 1, lastError: 'x', nextAtMs: undefined },
        5,
      );
      expect(await add(message('e', { body: 'x'.repeat(80) }))).toBe('full');
      expect(await add(message('f'))).toBe('added');
    });

    test('makes what failed due again, and tells how far it is', async () => {
      await add(message('m'));
      await store.take('t', 0, 30_000, []);
      const delivery = { state: 'waiting', attempts: 1, lastError: 'answered 500' } as const;
      expect(await store.settle('t', 'm', 0, { ...delivery, nextAtMs: 5_000 }, 10)).toBe(true);
      expect(await store.find('t', 'm')).toEqual(delivery);
      expect(await store.nextDueAt('t', [])).toBe(5_000);
      expect(await store.take('t', 5_000, 30_000, [])).toEqual({
        ...message('m'),
        attempts: 1,
        lastError: 'answered 500',
      });
    });

    test('takes the first word on an attempt, and no other', async () => {
      await add(message('m'));
      const taken = { state: 'taken', attempts: 1, lastError: null } as const;
      expect(await store.settle('t', 'm', 0, { ...taken, nextAtMs: undefined }, 10)).toBe(true);
      expect(
        await store.settle('t', 'm', 0, { ...taken, state: 'waiting', lastError: 'x', nextAtMs: 99 }, 11),
      ).toBe(false);
      expect(
        await store.settle('t', 'm', 1, { ...taken, state: 'waiting', lastError: 'x', nextAtMs: 99 }, 11),
      ).toBe(false);
      expect(await store.find('t', 'm')).toEqual(taken);
      expect(await store.settle('t', 'never', 0, { ...taken, nextAtMs: undefined }, 10)).toBe(false);
    });

    test('takes no second word on an attempt that is repeated', async () => {
      await add(message('m'));
      const waits = { state: 'waiting', attempts: 1, lastError: 'x', nextAtMs: 5_000 } as const;
      expect(await store.settle('t', 'm', 0, waits, 10)).toBe(true);
      expect(await store.settle('t', 'm', 0, { ...waits, lastError: 'y', nextAtMs: 99 }, 11)).toBe(false);
      expect(await store.find('t', 'm')).toMatchObject({ attempts: 1, lastError: 'x' });
      expect(await store.nextDueAt('t', [])).toBe(5_000);
    });

    test('forgets what ended before, and nothing that waits', async () => {
      await add(message('old'));
      await add(message('new'));
      await add(message('waits'));
      const ended = { state: 'taken', attempts: 1, lastError: null, nextAtMs: undefined } as const;
      await store.settle('t', 'old', 0, ended, 10);
      await store.settle('t', 'new', 0, ended, 20);
      await store.prune('t', 20);
      expect(await store.find('t', 'old')).toBeUndefined();
      expect(await store.find('t', 'new')).toMatchObject({ state: 'taken' });
      expect(await store.waiting('t')).toBe(1);
    });
  });
}
