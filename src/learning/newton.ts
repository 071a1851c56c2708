import { dotOf, type SymmetricMatrix, solve } from './linear-algebra.js';

/** A smooth function at one point. */
export interface Point {
  readonly value: number;
  readonly gradient: Float64Array;
  readonly hessian: SymmetricMatrix;
}

export type SmoothFunction = (point: Float64Array) => Point;

/** `at`, and for each number `ridge / 2` times the square of how far it is from its home. */
export function heldBack(at: SmoothFunction, homes: Float64Array, ridges: ArrayLike<number>): SmoothFunction {
  return (point) => {
    const { value: free, gradient, hessian } = at(point);
    let value = free;
    for (const [i, home] of homes.entries()) {
      const [ridge, away] = [ridges[i] as number, (point[i] as number) - home];
      value += (ridge / 2) * away * away;
      gradient[i] = (gradient[i] as number) + ridge * away;
      hessian[i * homes.length + i] = (hessian[i * homes.length + i] as number) + ridge;
    }
    return { value, gradient, hessian };
  };
}

const MAX_STEPS = 100;
/** A step that promises less than this is not worth it. */
const SETTLED = 1e-9;
const MAX_HALVINGS = 30;

/**
 * The point at which a function is least (where it is not convex: least around), none of its numbers under its
 * floor, by Newton's method; a step that does not lead down is halved until it does, so what is returned is the best
 * that was seen. The same start gives the same bits.
 */
export function minimise(
  start: Float64Array,
  at: SmoothFunction,
  floors: readonly number[] = [],
): Float64Array {
  const floorOf = (i: number) => floors[i] ?? Number.NEGATIVE_INFINITY;
  let point: Float64Array = start.map((value, i) => Math.max(value, floorOf(i)));
  let here = at(point);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    // What lies on its floor and would go under it stays there for this step.
    const held = point.map((value, i) => (value <= floorOf(i) && (here.gradient[i] as number) > 0 ? 1 : 0));
    const direction = newtonStep(here, held);
    if (!(dotOf(here.gradient, direction) > SETTLED)) return point;
    const next = downhill(
      point,
      here,
      (value, i, length) => Math.max(floorOf(i), value - length * (direction[i] as number)),
      at,
    );
    if (next === undefined) return point;
    [point, here] = next;
  }
  return point;
}

/** The full step; 0 for what is held. */
function newtonStep({ gradient, hessian }: Point, held: ArrayLike<number>): Float64Array {
  const n = gradient.length;
  const matrix = hessian.map((value, at) => {
    const [row, column] = [Math.floor(at / n), at % n];
    if (held[row] === 0 && held[column] === 0) return value;
    return row === column ? 1 : 0;
  });
  return solve(
    matrix,
    gradient.map((value, i) => (held[i] === 0 ? value : 0)),
  );
}

function downhill(
  point: Float64Array,
  here: Point,
  moved: (value: number, i: number, length: number) => number,
  at: SmoothFunction,
): [Float64Array, Point] | undefined {
  for (let halving = 0, length = 1; halving < MAX_HALVINGS; halving += 1, length /= 2) {
    const candidate = point.map((value, i) => moved(value, i, length));
    const there = at(candidate);
    if (there.value < here.value) return [candidate, there];
  }
  return undefined;
}
