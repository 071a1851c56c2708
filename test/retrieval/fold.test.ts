import { expect, test } from 'vitest';
import { foldFieldName, foldText, splitIdentifier } from '../../src/retrieval/fold.js';

test.each([
  ['getUserInfo', 'get User Info'],
  ['get_user_info', 'get user info'],
  ['HTTPServer', 'HTTP Server'],
  ['spaces.list-all', 'spaces list all'],
  ['生成周报', '生成周报'],
])('splits the identifier %s', (identifier, words) => {
  expect(splitIdentifier(identifier)).toBe(words);
});

test('folds width, case, white space and Traditional characters, and nothing else', () => {
  expect(foldText('查詢訂單 ＡＢＣ')).toBe('查询订单 abc');
  expect(foldText('  Ｔｕｒｎ\t this\n CSV ')).toBe('turn this csv');
  expect(foldText('café')).not.toBe('cafe');
});

test('field names agree across the ways of writing them', () => {
  const names = ['emailAddress', 'email_address', 'Email-Address', 'email.address'];
  expect(new Set(names.map(foldFieldName))).toEqual(new Set(['emailaddress']));
});
