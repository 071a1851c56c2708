import fc from 'fast-check';

type Body = Readonly<Record<string, unknown>>;

const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`;
const badValue = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    1e308,
    2 ** 60,
    '',
    ' ',
    '\ud800',
    '\u0000',
    '10',
    [],
    {},
    [[]],
  ),
  fc.string({ unit: 'grapheme', minLength: 20_001, maxLength: 20_100 }),
);

type Path = readonly string[];

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The paths of everything inside a value, at any depth. */
function pathsIn(value: unknown): Path[] {
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    [key],
    ...pathsIn(item).map((path) => [key, ...path]),
  ]);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((inner, key) => (inner as Record<string, unknown>)[key], value);
}

/** A copy in which what stands at the path is another value; undefined takes it away. */
function withChange(value: unknown, [key, ...rest]: Path, change: unknown): unknown {
  if (key === undefined || !isContainer(value)) return change;
  const before = (value as Record<string, unknown>)[key];
  const after = rest.length === 0 ? change : withChange(before, rest, change);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => (String(index) === key ? after : item));
    return items.filter((item) => item !== undefined);
  }
  return { ...value, [key]: after };
}

/** A body that is right but for one field at any depth: of another type, missing, or unknown. */
function mutated(valid: Body): fc.Arbitrary<unknown> {
  const paths = pathsIn(valid);
  const path = fc.constantFrom(...paths);
  // Where a field can be added: in every object on the way to something.
  const objects = paths.map((each) => each.slice(0, -1)).filter((at) => !Array.isArray(valueAt(valid, at)));
  return fc.oneof(
    fc.tuple(path, badValue).map(([at, value]) => withChange(valid, at, value)),
    path.map((at) => withChange(valid, at, undefined)),
    fc
      .tuple(fc.constantFrom(...objects), fc.string(), badValue)
      .map(([at, name, value]) => withChange(valid, [...at, `x${name}`], value)),
  );
}

/** Text that no serialiser would write. */
function hostile(valid: Body): fc.Arbitrary<string> {
  const text = JSON.stringify(valid);
  return fc.oneof(
    fc.constantFrom(
      nested(10_000),
      `{"payload":${nested(10_000)}}`,
      '['.repeat(10_000),
      '{"intent": NaN}',
      '{"threshold": Infinity}',
      '{"top_k": 1e400, "intent": "x"}',
      '{"threshold": -0.0000000000000000000000000000000000001, "intent": "x"}',
      '{"intent": "x", "payload": {"n": 1e999}}',
      '{"__proto__": {"intent": "x"}}',
      '{"intent": "x", "payload": {"constructor": {"prototype": {"polluted": true}}}}',
      '{"intent": "\\ud800\\udfff\\ud800"}',
      '{"intent": "a", "intent": 5}',
      '\ufeff{}',
      'null',
      '""',
      '0',
    ),
    fc.nat(text.length - 1).map((length) => text.slice(0, length)),
    fc
      .tuple(fc.nat(text.length), fc.string({ unit: 'binary', minLength: 1 }))
      .map(([at, insert]) => text.slice(0, at) + insert + text.slice(at)),
    fc.string({ unit: 'binary' }),
  );
}

/** Bytes of a request body, of all the ways in which they can be wrong around a valid one; few are right. */
export function generatedBodies(valid: Body): fc.Arbitrary<Buffer> {
  const toBytes = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 3, arbitrary: mutated(valid).map(toBytes) },
    { weight: 2, arbitrary: fc.jsonValue().map(toBytes) },
    { weight: 2, arbitrary: hostile(valid).map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  );
}
