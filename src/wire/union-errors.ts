/** What is read of an error of Ajv; fastify's errors have the same form. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
  /** There where Ajv is asked to be `verbose`. */
  readonly parentSchema?: Readonly<Record<string, unknown>> | undefined;
}

type Union = SchemaError & { readonly keyword: 'anyOf' | 'oneOf' };

/** An alternative of a union and why it does not fit. */
interface Branch {
  readonly errors: SchemaError[];
  /** 0: the right alternative with faults in it; 1: a field says that it is another one; 2: of another kind. */
  readonly distance: number;
}

/** A union of which no alternative fitted; a `oneOf` of which several did has nothing to choose from. */
function isOpenUnion(error: SchemaError): error is Union {
  if (error.keyword === 'anyOf') return true;
  return error.keyword === 'oneOf' && !Array.isArray(error.params.passingSchemas);
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

/**
 * Whether an error is that of a `false` among the alternatives of a union. Nothing fits it, so it decides nothing; put
 * before each alternative, it tells where the errors of that alternative begin.
 */
function isSeparator({ keyword, instancePath, schemaPath }: SchemaError, union: SchemaError): boolean {
  if (keyword !== 'false schema' || instancePath !== union.instancePath) return false;
  if (!schemaPath.startsWith(`${union.schemaPath}/`)) return false;
  return /^\d+\/false schema$/.test(schemaPath.slice(union.schemaPath.length + 1));
}

/** The place of the first separator of `union` at the end of `errors`; undefined where its schema has none. */
function firstSeparator(errors: readonly SchemaError[], union: SchemaError): number | undefined {
  let first: number | undefined;
  for (let place = errors.length - 1; place >= 0; place--) {
    const error = errors[place];
    if (error === undefined || !isWithin(error.instancePath, union.instancePath)) break;
    if (isSeparator(error, union)) first = place;
  }
  return first;
}

/** How many errors at the end of `errors` were raised by what `union` looked into; a guess where nothing separates them. */
function countOfUnion(errors: readonly SchemaError[], union: SchemaError): number {
  const separated = firstSeparator(errors, union);
  if (separated !== undefined) return errors.length - separated;
  const beside = union.schemaPath.slice(0, union.schemaPath.lastIndexOf('/') + 1);
  let first = errors.length;
  for (; first > 0; first--) {
    const error = errors[first - 1];
    if (error === undefined || !isWithin(error.instancePath, union.instancePath)) break;
    // A sibling keyword of the union was checked before it. Errors behind a $ref have a path of their own.
    const ofUnion = error.schemaPath.startsWith(`${union.schemaPath}/`);
    if (!ofUnion && error.schemaPath.startsWith(beside)) break;
  }
  return errors.length - first;
}

/** Keywords of which a value fails as a whole, whatever the subschemas that it does not fit have raised. */
const LOOKS_INTO: ReadonlySet<string> = new Set(['oneOf', 'contains']);

/** The part of a schema path that tells one alternative from another. */
function branchKey(error: SchemaError, union: Union): string {
  const inside = `${union.schemaPath}/`;
  if (error.schemaPath.startsWith(inside)) return error.schemaPath.slice(inside.length).split('/', 1).join();
  return error.schemaPath.split('/', 3).join('/');
}

const KINDS: ReadonlySet<string> = new Set(['type', 'const', 'enum']);
const VALUES: ReadonlySet<string> = new Set(['const', 'enum']);

function distanceOf(error: SchemaError, union: Union): number {
  const below = error.instancePath.slice(union.instancePath.length);
  if (below === '') return KINDS.has(error.keyword) ? 2 : 0;
  return VALUES.has(error.keyword) && below.lastIndexOf('/') === 0 ? 1 : 0;
}

function branchesOf(errors: readonly SchemaError[], union: Union): Branch[] {
  const grouped = new Map<number | string, SchemaError[]>();
  let separators = 0;
  for (const error of errors) {
    if (isSeparator(error, union)) {
      separators += 1;
      continue;
    }
    const key = separators > 0 ? separators : branchKey(error, union);
    const group = grouped.get(key);
    if (group === undefined) grouped.set(key, [error]);
    else group.push(error);
  }
  return [...grouped.values()].map((group) => ({
    errors: group,
    distance: Math.max(...group.map((error) => distanceOf(error, union))),
  }));
}

/** The union's error with what each alternative would have wanted, where all of them fail at the same place. */
function merged(union: Union, errors: readonly SchemaError[]): SchemaError {
  const [first] = errors;
  const together = errors.every((error) => error.instancePath === first?.instancePath);
  if (first === undefined || !together) return union;
  return { ...union, instancePath: first.instancePath, params: { alternatives: errors } };
}

function settled(raised: readonly SchemaError[], union: Union): readonly SchemaError[] {
  const branches = branchesOf(raised, union);
  if (branches.length === 0) return [union];
  const nearest = Math.min(...branches.map(({ distance }) => distance));
  if (nearest === 0) {
    const fitting = branches.filter(({ distance }) => distance === 0);
    return fitting.reduce((best, branch) => (branch.errors.length < best.errors.length ? branch : best))
      .errors;
  }
  const kinds = branches.map(({ errors }) => errors.find((error) => distanceOf(error, union) === nearest));
  return [
    merged(
      union,
      kinds.filter((error) => error !== undefined),
    ),
  ];
}

/**
 * Ajv raises the errors of every alternative of an `anyOf` or `oneOf`. Only those of the alternative that was
 * meant are kept: the one whose telling fields (`type`, `kind` ...) fit, of several the one with the fewest
 * faults, the first declared of equals. Where none was meant, one error says what would have been right.
 */
export function settleUnions(errors: readonly SchemaError[]): readonly SchemaError[] {
  const kept: SchemaError[] = [];
  for (const error of errors) {
    if (isOpenUnion(error)) {
      const raised = kept.splice(kept.length - countOfUnion(kept, error));
      kept.push(...settled(raised, error));
    } else if (LOOKS_INTO.has(error.keyword)) {
      // Several alternatives fit, or no item does: what the others lack would not help.
      kept.splice(kept.length - countOfUnion(kept, error));
      kept.push(error);
    } else if (error.keyword !== 'if') {
      // `if` only repeats that its `then` or `else` did not fit, which is said already.
      kept.push(error);
    }
  }
  return kept;
}
