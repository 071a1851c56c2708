import { describe, expect, test } from 'vitest';
import { KeptAnswers } from '../../sdk/src/agent/kept-answers.js';

describe('kept answers', () => {
  const answer = (bytes = 1) => ({ digest: 'd', status: 200, body: Buffer.alloc(bytes) });

  test('are kept for ten minutes', () => {
    let now = 0;
    const kept = new KeptAnswers(() => now);
    kept.keep('a', answer());
    now = 599_999;
    expect(kept.get('a')).toMatchObject({ status: 200 });
    now = 600_000;
    expect(kept.get('a')).toBeUndefined();
  });

  test('are bounded in number and in bytes; the oldest go', () => {
    const many = new KeptAnswers();
    for (let index = 0; index <= 10_000; index += 1) many.keep(`${index}`, answer());
    expect(many.get('0')).toBeUndefined();
    expect(many.get('1')).toBeDefined();
    const large = new KeptAnswers();
    for (const id of ['a', 'b', 'c']) large.keep(id, answer(30 * 1_048_576));
    expect(large.get('a')).toBeUndefined();
    expect(large.get('b')).toBeDefined();
  });
});
