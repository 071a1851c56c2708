/** How many values are in `value`, itself and containers counted; `limit` where they are as many or more. */
export function valuesIn(value: unknown, limit: number): number {
  const open: unknown[] = [value];
  let values = 0;
  for (let next = open.pop(); values < limit; next = open.pop()) {
    values += 1;
    if (typeof next === 'object' && next !== null) {
      for (const item of Object.values(next)) {
        if (values + open.length >= limit) return limit;
        open.push(item);
      }
    }
    if (open.length === 0) return values;
  }
  return limit;
}
