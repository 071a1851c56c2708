import { describe, expect, test } from 'vitest';
import { AddressBook } from '../../sdk/src/client/address-book.js';
import type { Change } from '../../sdk/src/wire/events.js';
import type { Decision } from '../../sdk/src/wire/route.js';

describe('the address book', () => {
  const decision = (addrVersion: number, targetAddress: string, instanceId = 'i') =>
    ({ targetAgent: 'a', instanceId, targetAddress, addrVersion }) as Decision;
  const change = (addrVersion: number, to: Change['to']) =>
    ({ agent: 'a', instance: 'i', to, addrVersion }) as Change;

  test('takes the newest of what decisions say', () => {
    const book = new AddressBook();
    book.learn(decision(2, 'new'));
    book.learn(decision(1, 'old'));
    expect(book.address('a', 'i')).toBe('new');
    book.learn(decision(3, 'newer'));
    expect(book.address('a', 'i')).toBe('newer');
  });

  test('forgets what went, keeps what only changed its state, and whatever came late is not news', () => {
    const book = new AddressBook();
    book.learn(decision(2, 'here'));
    book.apply(change(2, 'down'));
    book.apply(change(1, null));
    expect(book.address('a', 'i')).toBe('here');
    book.apply(change(2, null));
    expect(book.address('a', 'i')).toBeUndefined();
    book.clear();
    book.learn(decision(1, 'after a gap'));
    expect(book.address('a', 'i')).toBe('after a gap');
  });

  test('holds a bounded number, the latest', () => {
    const book = new AddressBook();
    for (let index = 0; index < 1_500; index += 1) book.learn(decision(1, 'x', `i-${index}`));
    expect(book.address('a', 'i-0')).toBeUndefined();
    expect(book.address('a', 'i-1499')).toBe('x');
  });
});
