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

/** How many errors at the end of `errors` were raised by the alternatives of `union`. */
function countOfUnion(errors: readonly SchemaError[], union: Union): number {
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
  const grouped = new Map<string, SchemaError[]>();
  for (const error of errors) {
    const key = branchKey(error, union);
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
    } else if (error.keyword !== 'if') {
      // `if` only repeats that its `then` or `else` did not fit, which is said already.
      kept.push(error);
    }
  }
  return kept;
}
