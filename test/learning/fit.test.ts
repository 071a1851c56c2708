import { expect, test } from 'vitest';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { fitLogistic, fromNothing } from '../../src/learning/fit-logistic.js';
import { fitRelevance, type RankedSample } from '../../src/learning/fit-relevance.js';
import { solve } from '../../src/learning/linear-algebra.js';
import { minimise } from '../../src/learning/newton.js';

test('solves a system of equations, and leaves alone what nothing depends on', () => {
  const [x, y] = solve(Float64Array.of(4, 0, 2, 3), Float64Array.of(8, 7));
  expect(x).toBeCloseTo(1.25, 9);
  expect(y).toBeCloseTo(1.5, 9);
  expect([...solve(Float64Array.of(4, 0, 0, 0), Float64Array.of(8, 0))]).toEqual([2, 0]);
});

test('finds where a function is least, and never returns a worse point than it has seen', () => {
  const seen: number[] = [];
  const steep = (x: number) => Math.sqrt(1 + x * x);
  const least = minimise(Float64Array.of(30), ([x = 0]) => {
    seen.push(steep(x));
    // Far out a full step of Newton's overshoots: only halving it leads down.
    return {
      value: steep(x),
      gradient: Float64Array.of(x / steep(x)),
      hessian: Float64Array.of(1 / steep(x) ** 3),
    };
  });
  expect(least[0]).toBeCloseTo(0, 5);
  expect(steep(least[0] ?? 1)).toBe(Math.min(...seen));
});

test('a logistic regression finds the chances that the observations were drawn with', () => {
  const random = seededRandom(5);
  const observations = Array.from({ length: 20_000 }, () => {
    const [a, b] = [random() * 4, random() * 100];
    const chance = 1 / (1 + Math.exp(-(1.5 * a - 0.04 * b - 1)));
    return { inputs: [a, b], right: random() < chance, weight: 1 };
  });
  const { bias, slopes } = fitLogistic(observations, fromNothing(2, 0));
  expect(slopes[0]).toBeCloseTo(1.5, 1);
  expect(slopes[1]).toBeCloseTo(-0.04, 2);
  expect(bias).toBeCloseTo(-1, 0);
});

test('observations that a line separates, an input that never changes, and none at all give finite numbers', () => {
  const separated = [0, 1, 2, 3].map((x) => ({ inputs: [x, 7], right: x > 1, weight: 1 }));
  const { bias, slopes } = fitLogistic(separated, fromNothing(2, 1e-3));
  expect([bias, ...slopes].every(Number.isFinite)).toBe(true);
  expect(slopes[0]).toBeGreaterThan(0);
  expect(slopes[1]).toBe(0);
  expect(fitLogistic([], fromNothing(1, 1e-3))).toEqual({ bias: 0, slopes: [0] });
});

/** Three candidates an intent; the right one is drawn by the softmax of 3a and so many b, and c says nothing. */
function samples(count: number, timesB = 2): RankedSample[] {
  const random = seededRandom(9);
  return Array.from({ length: count }, () => {
    const candidates = [0, 1, 2].map(() => Float64Array.of(random(), random(), random()));
    const powers = candidates.map(([a = 0, b = 0]) => Math.exp(3 * a + timesB * b));
    let left = random() * powers.reduce((sum, power) => sum + power, 0);
    const chosen = powers.findIndex((power) => {
      left -= power;
      return left < 0;
    });
    return { candidates, right: candidates.map((_, i) => i === chosen), weight: 1 };
  });
}

const held = (ridge: number) => ({ ridges: [ridge, ridge, ridge], start: [0, 0, 0] });

test('relevance is fitted to what decides which candidate is right, the same to the last digit each time', () => {
  const drawn = samples(5_000);
  const weights = fitRelevance(drawn, held(0));
  expect(weights[0]).toBeCloseTo(3, 0);
  expect(weights[1]).toBeCloseTo(2, 0);
  expect(Math.abs(weights[2] ?? 1)).toBeLessThan(0.2);
  expect(fitRelevance(drawn, held(0))).toEqual(weights);
});

test('intents without a right candidate, or with nothing but right ones, teach nothing', () => {
  const drawn = samples(50);
  const mute = drawn.flatMap(({ candidates }) => [
    { candidates, right: [false, false, false], weight: 1 },
    { candidates, right: [true, true, true], weight: 1 },
  ]);
  expect(fitRelevance([...drawn, ...mute], held(1e-3))).toEqual(fitRelevance(drawn, held(1e-3)));
  expect([...fitRelevance(mute, held(1e-3))]).toEqual([0, 0, 0]);
});

test('weights are held to their start, and none is under 0', () => {
  const drawn = samples(2_000, -2);
  const [a = 0, b = 1] = fitRelevance(drawn, held(1e-3));
  expect(a).toBeGreaterThan(2);
  expect(b).toBe(0);
  const [first, second, third] = fitRelevance(drawn, { ...held(1e6), start: [1, 2, 3] });
  expect(first).toBeCloseTo(1, 2);
  expect(second).toBeCloseTo(2, 2);
  expect(third).toBeCloseTo(3, 2);
});
