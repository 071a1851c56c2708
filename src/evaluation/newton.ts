/** A smooth function at one point. Of `hessian`, row by row, only the lower half is read. */
export interface Point {
  readonly value: number;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
}

const MAX_STEPS = 100;
/** A step that promises less than this is not worth it. */
const SETTLED = 1e-9;
const MAX_HALVINGS = 30;

/**
 * The point at which a convex function is least, none of its numbers under its floor, by Newton's method; a step
 * that does not lead down is halved until it does, so what is returned is the best that was seen. The same start
 * gives the same bits.
 */
export function minimise(
  start: Float64Array,
  at: (point: Float64Array) => Point,
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
  at: (point: Float64Array) => Point,
): [Float64Array, Point] | undefined {
  for (let halving = 0, length = 1; halving < MAX_HALVINGS; halving += 1, length /= 2) {
    const candidate = point.map((value, i) => moved(value, i, length));
    const there = at(candidate);
    if (there.value < here.value) return [candidate, there];
  }
  return undefined;
}

function dotOf(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
}

/**
 * The solution x of `matrix` x = `right`, by Cholesky decomposition. What makes the matrix singular, a direction
 * in which nothing changes, is left where it is.
 */
export function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const lower = new Float64Array(n * n);
  for (let row = 0; row < n; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = matrix[row * n + column] as number;
      for (let k = 0; k < column; k += 1)
        sum -= (lower[row * n + k] as number) * (lower[column * n + k] as number);
      if (row === column) lower[row * n + row] = sum > Number.EPSILON ? Math.sqrt(sum) : 0;
      else {
        const pivot = lower[column * n + column] as number;
        lower[row * n + column] = pivot === 0 ? 0 : sum / pivot;
      }
    }
  }
  const forward = new Float64Array(n);
  for (let row = 0; row < n; row += 1) {
    let sum = right[row] as number;
    for (let k = 0; k < row; k += 1) sum -= (lower[row * n + k] as number) * (forward[k] as number);
    const pivot = lower[row * n + row] as number;
    forward[row] = pivot === 0 ? 0 : sum / pivot;
  }
  const solution = new Float64Array(n);
  for (let row = n - 1; row >= 0; row -= 1) {
    let sum = forward[row] as number;
    for (let k = row + 1; k < n; k += 1) sum -= (lower[k * n + row] as number) * (solution[k] as number);
    const pivot = lower[row * n + row] as number;
    solution[row] = pivot === 0 ? 0 : sum / pivot;
  }
  return solution;
}
