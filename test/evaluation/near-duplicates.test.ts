import { expect, test } from 'vitest';
import { nearDuplicates } from '../../src/evaluation/near-duplicates.js';

test('texts that say nearly the same are one cluster, in any language', () => {
  const texts = [
    'Why was my transfer declined?',
    'wake me up at 7 tomorrow',
    'why was my transfer declined',
    '今天上海天气怎么样',
    'Wake me up at 6:30 tomorrow!',
    'please book a table for two',
    '上海今天天气怎么样啊',
    'почему мой перевод отклонён?',
    'Почему мой перевод отклонен',
  ];
  expect(nearDuplicates(texts)).toEqual([
    [0, 2],
    [1, 4],
    [3, 6],
    [7, 8],
  ]);
});

test('what is near to one text of a cluster belongs to it, though it is not near to another', () => {
  const [first, middle, last] = [
    'a b c d e f g h i j',
    'a b c d e f g h i y',
    'a b c d e f g h x y',
  ] as const;
  expect(nearDuplicates([first, middle, last])).toEqual([[0, 1, 2]]);
  expect(nearDuplicates([first, last])).toEqual([]);
});

test('texts without a single word are told apart by their signs', () => {
  expect(nearDuplicates(['👍', '👎', ' 👍', '?'])).toEqual([[0, 2]]);
});

test('nobody says nearly the same where there is nobody, or nobody else', () => {
  expect(nearDuplicates([])).toEqual([]);
  expect(nearDuplicates(['cancel my order'])).toEqual([]);
});
