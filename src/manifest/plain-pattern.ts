const ATOM = String.raw`(?:\\[dDwWsSnrtfv]|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]+\}|\\[pP]\{[\w=]+\}|\\[^\w]|\[(?:\\.|[^\\\]])*\]|[^\\[\](){}*+?|^$])`;
const QUANTIFIER = String.raw`(?:[*+?]|\{\d+(?:,\d*)?\})`;
const PLAIN = new RegExp(`^\\^(?:${ATOM}${QUANTIFIER}?)*\\$?$`, 'u');
const STEP = new RegExp(`${ATOM}(${QUANTIFIER})?`, 'gu');

/** Each doubles the ways to match at worst. */
const MAX_OPTIONAL = 3;

/** `?` may match or not; `{3}` always matches alike; everything else may match in many ways. */
function waysOf(quantifier: string): 'one' | 'two' | 'many' {
  if (quantifier === '?') return 'two';
  return /^\{\d+\}$/.test(quantifier) ? 'one' : 'many';
}

/**
 * Whether a pattern is linear for a reason that everybody sees: anchored at the start, a plain row of
 * characters and classes without groups or alternatives, and only one place whose length is open. Most patterns
 * of real schemas are (`^[A-Z]{2}\d+$`), so they are decided at once and alike on every machine, however busy.
 */
export function isPlainlyLinear(source: string): boolean {
  if (!PLAIN.test(source)) return false;
  const ways = [...source.slice(1).matchAll(STEP)].flatMap(([, quantifier]) =>
    quantifier === undefined ? [] : [waysOf(quantifier)],
  );
  const many = ways.filter((way) => way === 'many').length;
  const two = ways.filter((way) => way === 'two').length;
  return many <= 1 && two <= MAX_OPTIONAL;
}
