import { expect, test } from 'vitest';
import { SingleFlight } from '../src/single-flight.js';

test('who comes while it is under way gets the same, and who comes after it has it done again', async () => {
  const flight = new SingleFlight<number>();
  let begun = 0;
  const work = async () => {
    begun += 1;
    return begun;
  };
  expect(flight.underWay).toBeUndefined();
  expect(await Promise.all([flight.run(work), flight.underWay, flight.run(work)])).toEqual([1, 1, 1]);
  expect(flight.underWay).toBeUndefined();
  expect(await flight.run(work)).toBe(2);
});

test('what fails fails for all who share it, and not for who comes after', async () => {
  const flight = new SingleFlight<string>();
  const failing = () => Promise.reject(new Error('gone'));
  const [one, other] = await Promise.allSettled([flight.run(failing), flight.run(failing)]);
  expect([one.status, other.status]).toEqual(['rejected', 'rejected']);
  expect(await flight.run(async () => 'there')).toBe('there');
});
