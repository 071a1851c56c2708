/** How many values are in `value`, itself and containers counted; `limit` where they are as many or more. */
export function valuesIn(value: unknown, limit: number): number {
  const containers: object[] = isContainer(value) ? [value] : [];
  let values = 1;
  for (let next = containers.pop(); next !== undefined; next = containers.pop()) {
    for (const item of Object.values(next)) {
      values += 1;
      if (values >= limit) return limit;
      if (isContainer(item)) containers.push(item);
    }
  }
  return Math.min(values, limit);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
