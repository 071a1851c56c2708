import { expect, test } from 'vitest';
import { camelCheckOf, checkOf } from '../../src/wire/check.js';
import { RouteRequestSchema } from '../../src/wire/route.js';

const check = checkOf(RouteRequestSchema);
const pointers = (value: unknown) => check(value).map(({ pointer }) => pointer);

test.each<[unknown, string[]]>([
  [{ intent: 3 }, ['/intent']],
  [{ top_k: '5' }, ['/top_k']],
  [{ top_k: 65 }, ['/top_k']],
  [{ top_k: 1.5 }, ['/top_k']],
  [{ threshold: -0.1 }, ['/threshold']],
  [{ filter: { agents: 'a' } }, ['/filter/agents']],
  [{ filter: { labels: { env: 1 } } }, ['/filter/labels/env']],
  [{ filter: { labels: { 'a\nb': 1 } } }, ['/filter/labels/a\nb']],
  [{ payload: [] }, ['/payload']],
  [{ intnet: 'x' }, ['/intnet']],
  [[], ['']],
  [null, ['']],
])('%j is refused at its place', (value, expected) => {
  expect(pointers(value)).toEqual(expected);
});

test('a fault says what was expected and what came', () => {
  expect(check({ top_k: 65 })).toEqual([
    { pointer: '/top_k', expected: expect.stringContaining('64'), received: 'the number 65' },
  ]);
});

test('the code form is judged alike, under its own names', () => {
  const camel = camelCheckOf(RouteRequestSchema);
  expect(camel({ topK: 3, prefer: { reachabilityScore: 1 } })).toEqual([]);
  expect(camel({ topK: 65 }).map(({ pointer }) => pointer)).toEqual(['/topK']);
  expect(camel({ top_k: 3 }).map(({ pointer }) => pointer)).toEqual(['/top_k']);
});
