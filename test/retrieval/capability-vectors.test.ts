import { expect, test } from 'vitest';
import { CapabilityRows, capabilityVectors } from '../../src/retrieval/capability-vectors.js';
import { dot } from '../../src/retrieval/vector-math.js';
import { VectorMemory } from '../../src/retrieval/vector-memory.js';
import { direction } from '../support/candidates.js';

const views = {
  name: direction(0),
  description: direction(0),
  summary: direction(0),
  full: direction(0),
};

const cosineOf = (degrees: number) => expect.closeTo(Math.cos((degrees * Math.PI) / 180), 5);

test('of each centroid the views are another share: that of more views lies nearer to them', () => {
  const { centroid, viewsCentroid } = capabilityVectors(views, [direction(90), direction(90)]);
  expect(dot(centroid.direction, direction(45))).toBeCloseTo(1);
  expect(dot(viewsCentroid.direction, direction(0))).toBeCloseTo(Math.cos(Math.atan(2 / 4)));
});

test('without examples both lie among the views', () => {
  const { centroid, viewsCentroid } = capabilityVectors({ ...views, full: direction(90) }, []);
  expect(centroid.direction).toEqual(viewsCentroid.direction);
  expect(dot(centroid.direction, direction(0))).toBeCloseTo(3 / Math.sqrt(10));
});

test('an example that is left out counts in no cosine, as if it had never been there', () => {
  const examples = [direction(20), direction(70), direction(75)];
  const memory = new VectorMemory(4);
  const whole = new CapabilityRows(memory, capabilityVectors(views, examples));
  const rest = new CapabilityRows(memory, capabilityVectors(views, examples.toSpliced(1, 1)));
  memory.aim(direction(70));
  const cosines = whole.similarities(1);
  for (const [name, cosine] of Object.entries(rest.similarities()))
    expect(cosines).toHaveProperty(name, expect.closeTo(Number(cosine), 5));
  expect(cosines.centroid).toBeLessThan(whole.similarities().centroid);
});

test('the nearest text is the nearest of all: of the views, of the examples, and without those of the centroid', () => {
  const memory = new VectorMemory(4);
  const rowsOf = (...degrees: readonly number[]) =>
    new CapabilityRows(memory, capabilityVectors({ ...views, full: direction(50) }, degrees.map(direction)));
  const [far, near, none] = [rowsOf(80, 70), rowsOf(80, 44), rowsOf()];
  memory.aim(direction(45));
  expect(far.nearestText()).toEqual({ similarity: cosineOf(5), example: 1 });
  expect(near.nearestText()).toEqual({ similarity: cosineOf(1), example: 1 });
  expect(none.nearestText()).toEqual({ similarity: cosineOf(5), example: undefined });
  memory.aim(direction(12));
  expect(none.nearestText().similarity).toBeCloseTo(none.similarities().centroid, 5);
});

test('a stray is an example nearer to another centroid than to what its own is without it', () => {
  const memory = new VectorMemory(4);
  const own = new CapabilityRows(memory, capabilityVectors(views, [direction(5), direction(80)]));
  const there = direction(90);
  const others = { name: there, description: there, summary: there, full: there };
  const other = new CapabilityRows(memory, capabilityVectors(others, [direction(85)]));
  expect([own.strays(other), other.strays(own)]).toEqual([1, 0]);
});
