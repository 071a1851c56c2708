import { expect, test } from 'vitest';
import { type OpenQuestion, OpenQuestions } from '../../src/routing/open-questions.js';

const question = (routeId: string, payload: Record<string, unknown> = {}): OpenQuestion => ({
  routeId,
  request: { intent: 'x', payload },
  target: undefined,
  choices: [],
  resumed: false,
});

test('a question is open for ten minutes', () => {
  const open = new OpenQuestions();
  const asked = question('a');
  open.ask(asked, 0);
  expect(open.find('a', 600_000)).toMatchObject(asked);
  expect(open.find('a', 600_001)).toBeUndefined();
  expect(open.find('b', 0)).toBeUndefined();
});

test('they are bounded by what they hold: the oldest go first', () => {
  const open = new OpenQuestions();
  const large = (routeId: string) => question(routeId, { text: 'x'.repeat(1_000_000) });
  for (let i = 0; i < 40; i += 1) open.ask(large(`q${i}`), i);
  expect(open.find('q0', 40)).toBeUndefined();
  expect(open.find('q39', 40)).toMatchObject(large('q39'));
  const kept = Array.from({ length: 40 }, (_, i) => open.find(`q${i}`, 40)).filter(
    (found) => found !== undefined,
  );
  expect(kept).toHaveLength(31);
});
