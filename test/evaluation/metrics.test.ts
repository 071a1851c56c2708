import { describe, expect, it } from 'vitest';
import { auroc } from '../../src/evaluation/auroc.js';
import { calibrationNoise, expectedCalibrationError } from '../../src/evaluation/calibration-error.js';
import { wilsonInterval } from '../../src/evaluation/interval.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';

describe('auroc', () => {
  it.each([
    ['all right', [0.9, 0.8], [0.2, 0.1], 1],
    ['all wrong', [0.1], [0.9, 0.8], 0],
    ['one pair of four the wrong way round', [0.9, 0.3], [0.5, 0.1], 0.75],
    ['ties count half', [0.5], [0.5], 0.5],
    ['ties among many', [0.9, 0.5, 0.5], [0.5, 0.1], (2 + 1.5 + 1.5) / 6],
    ['nobody is sure of anything', [1, 1, 1], [1, 1], 0.5],
  ])('%s', (_, positives, negatives, expected) => {
    expect(auroc(positives, negatives)).toBeCloseTo(expected, 12);
  });

  it('is what comparing all pairs gives', () => {
    const random = seededRandom(7);
    const coarse = (count: number) => Array.from({ length: count }, () => Math.round(random() * 8) / 8);
    const [positives, negatives] = [coarse(40), coarse(25)];
    const points = positives.flatMap((p) => negatives.map((n) => (p > n ? 1 : p === n ? 0.5 : 0)));
    const mean = points.reduce((sum: number, point) => sum + point, 0) / points.length;
    expect(auroc(positives, negatives)).toBeCloseTo(mean, 12);
  });

  it('is null where one side is empty', () => {
    expect(auroc([], [0.5])).toBeNull();
    expect(auroc([0.5], [])).toBeNull();
  });
});

const answers = (confidence: number, rights: readonly boolean[]) =>
  rights.map((right) => ({ confidence, right }));

describe('the expected calibration error', () => {
  it('is the distance of confidence from the share of right ones', () => {
    // Twenty answers, two a bin: ten at 0.75 of which half are right, ten at 0.25 of which none is.
    const half = Array.from({ length: 10 }, (_, i) => i % 2 === 0);
    const none = Array.from({ length: 10 }, () => false);
    expect(expectedCalibrationError([...answers(0.75, half), ...answers(0.25, none)])).toBeCloseTo(0.25, 12);
  });

  it('lets over- and underconfidence cancel within a bin only', () => {
    const one = [
      { confidence: 0.2, right: false },
      { confidence: 0.8, right: true },
    ];
    // Two answers make two bins.
    expect(expectedCalibrationError(one)).toBeCloseTo(0.2, 12);
    const many = Array.from({ length: 10 }, () => answers(0.5, [true, false])).flat();
    expect(expectedCalibrationError(many)).toBeCloseTo(0, 12);
  });

  it('has ten bins of equal count, whatever the confidences', () => {
    // 25 answers: bins of two and three. All but the surest are wrong at 0, so only the last bin errs.
    const sure = { confidence: 0.9, right: false };
    expect(
      expectedCalibrationError([
        sure,
        ...answers(
          0,
          Array.from({ length: 24 }, () => false),
        ),
      ]),
    ).toBeCloseTo(0.9 / 25, 12);
  });

  it('does not depend on the order of the answers', () => {
    const some = Array.from({ length: 57 }, (_, i) => ({ confidence: i / 57, right: i % 3 === 0 }));
    expect(expectedCalibrationError(some.toReversed())).toBeCloseTo(
      expectedCalibrationError(some) ?? Number.NaN,
      12,
    );
  });

  it('is null without answers', () => {
    expect(expectedCalibrationError([])).toBeNull();
    expect(calibrationNoise([])).toBeNull();
  });
});

describe('the noise of the calibration error', () => {
  const random = seededRandom(11);
  const confidences = Array.from({ length: 1_000 }, () => random());

  it('is what a perfectly calibrated router measures', () => {
    const noise = calibrationNoise(confidences);
    const draw = seededRandom(12);
    const perfect = confidences.map((confidence) => ({ confidence, right: draw() < confidence }));
    const measured = expectedCalibrationError(perfect) ?? Number.NaN;
    expect(measured).toBeGreaterThan(noise?.low ?? Number.NaN);
    expect(measured).toBeLessThan(noise?.high ?? Number.NaN);
  });

  it('is the same in every run, and smaller with more queries', () => {
    const many = calibrationNoise(confidences);
    expect(calibrationNoise(confidences)).toEqual(many);
    const few = calibrationNoise(confidences.slice(0, 50));
    expect(few?.mean).toBeGreaterThan(3 * (many?.mean ?? 1));
  });

  it('is none where every confidence is certain', () => {
    expect(calibrationNoise([0, 0, 1, 1])).toEqual({ mean: 0, low: 0, high: 0 });
  });
});

describe("Wilson's interval", () => {
  it.each([
    [0.5, 10, 0.2366, 0.7634],
    [1, 5, 0.5655, 1],
    [0, 5, 0, 0.4345],
    [0.9, 1_000, 0.8798, 0.9171],
  ])('of a share of %d in %d trials', (share, count, low, high) => {
    const interval = wilsonInterval(share, count);
    expect(interval?.low).toBeCloseTo(low, 3);
    expect(interval?.high).toBeCloseTo(high, 3);
  });

  it('is none without trials', () => {
    expect(wilsonInterval(0.5, 0)).toBeUndefined();
  });
});
