import { expect, test } from 'vitest';
import { capabilityVectors } from '../../src/retrieval/capability-vectors.js';
import { dot } from '../../src/retrieval/vector-math.js';
import { direction } from '../support/candidates.js';

const views = {
  name: direction(0),
  description: direction(0),
  summary: direction(0),
  full: direction(0),
};

test('of each centroid the views are another share: that of more views lies nearer to them', () => {
  const { centroid, viewsCentroid } = capabilityVectors(views, [direction(90), direction(90)]);
  expect(dot(centroid.direction, direction(45))).toBeCloseTo(1);
  expect(dot(viewsCentroid.direction, direction(0))).toBeCloseTo(Math.cos(Math.atan(2 / 4)));
});

test('without examples both lie among the views', () => {
  const { centroid, viewsCentroid } = capabilityVectors({ ...views, full: direction(90) }, []);
  expect(centroid).toEqual(viewsCentroid);
  expect(dot(centroid.direction, direction(0))).toBeCloseTo(3 / Math.sqrt(10));
});
