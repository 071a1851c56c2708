/** A smooth function at one point. Of `hessian`, row by row, only the lower half is read. */
export interface Point {
  readonly value: number;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
}

const MAX_STEPS = 100;
/** A step that promises less than this is not worth it. */
const SETTLED = 1e-12;
const MAX_HALVINGS = 40;

/**
 * The point at which a convex function is least, by Newton's method; a step that does not lead down is halved
 * until it does, so what is returned is the best that was seen. The same start gives the same bits.
 */
export function minimise(start: Float64Array, at: (point: Float64Array) => Point): Float64Array {
  let point = start;
  let here = at(point);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const direction = solve(here.hessian, here.gradient);
    const promise = dotOf(here.gradient, direction);
    if (!(promise > SETTLED)) return point;
    const next = downhill(point, here, direction, at);
    if (next === undefined) return point;
    [point, here] = next;
  }
  return point;
}

function downhill(
  point: Float64Array,
  here: Point,
  direction: Float64Array,
  at: (point: Float64Array) => Point,
): [Float64Array, Point] | undefined {
  for (let halving = 0, length = 1; halving < MAX_HALVINGS; halving += 1, length /= 2) {
    const candidate = point.map((value, i) => value - length * (direction[i] as number));
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
