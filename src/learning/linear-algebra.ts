/** Matrices are symmetric and lie row by row; only the lower half is written and read. */
export type SymmetricMatrix = Float64Array;

export function dotOf(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
}

/** Adds `factor` times the product of `row` with itself to `matrix`. */
export function addOuterProduct(matrix: SymmetricMatrix, row: Float64Array, factor: number): void {
  const n = row.length;
  for (let a = 0; a < n; a += 1) {
    const scaled = factor * (row[a] as number);
    for (let b = 0; b <= a; b += 1)
      matrix[a * n + b] = (matrix[a * n + b] as number) + scaled * (row[b] as number);
  }
}

/**
 * The solution x of `matrix` x = `right`, by Cholesky decomposition. What makes the matrix singular, a direction
 * in which nothing changes, is left where it is.
 */
export function solve(matrix: SymmetricMatrix, right: Float64Array): Float64Array {
  const lower = choleskyOf(matrix, right.length);
  return backward(lower, forward(lower, right));
}

/** The lower triangle L of `matrix` = L Lᵀ; a direction without a pivot has a column of 0. */
function choleskyOf(matrix: SymmetricMatrix, n: number): Float64Array {
  const lower = new Float64Array(n * n);
  for (let row = 0; row < n; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = matrix[row * n + column] as number;
      for (let k = 0; k < column; k += 1)
        sum -= (lower[row * n + k] as number) * (lower[column * n + k] as number);
      if (row === column) lower[row * n + row] = sum > Number.EPSILON ? Math.sqrt(sum) : 0;
      else lower[row * n + column] = divided(sum, lower[column * n + column] as number);
    }
  }
  return lower;
}

const divided = (sum: number, pivot: number) => (pivot === 0 ? 0 : sum / pivot);

/** The solution y of L y = `right`. */
function forward(lower: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const solution = new Float64Array(n);
  for (let row = 0; row < n; row += 1) {
    let sum = right[row] as number;
    for (let k = 0; k < row; k += 1) sum -= (lower[row * n + k] as number) * (solution[k] as number);
    solution[row] = divided(sum, lower[row * n + row] as number);
  }
  return solution;
}

/** The solution x of Lᵀ x = `right`. */
function backward(lower: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const solution = new Float64Array(n);
  for (let row = n - 1; row >= 0; row -= 1) {
    let sum = right[row] as number;
    for (let k = row + 1; k < n; k += 1) sum -= (lower[k * n + row] as number) * (solution[k] as number);
    solution[row] = divided(sum, lower[row * n + row] as number);
  }
  return solution;
}
