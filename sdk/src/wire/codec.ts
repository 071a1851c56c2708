/** What stands under these names belongs to somebody else: its own names are passed through untouched. */
const PASSED_THROUGH: ReadonlySet<string> = new Set([
  'payload',
  'result',
  'entities',
  'labels',
  'signals',
  'signalWeights',
  'confidenceInputs',
  'payloadFields',
]);

const camelName = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const snakeName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => {
    const passed = PASSED_THROUGH.has(camelName(name));
    return [rename(name), passed ? item : renamed(item, rename)] as const;
  });
  return Object.fromEntries(entries);
}

/** A request in camelCase as the snake_case of the wire. What is undefined is left out by JSON. */
export const toWire = (code: object): unknown => renamed(code, snakeName);

/** An answer in the snake_case of the wire as camelCase. */
export const fromWire = (wire: unknown): unknown => renamed(wire, camelName);
