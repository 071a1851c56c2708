import { readFile } from 'node:fs/promises';
import type { Reach } from '../../src/app.js';
import type { CapabilityNames } from '../../src/evaluation/capability-names.js';
import { isExpected } from '../../src/evaluation/judge.js';
import type { LabelledQuery } from '../../src/evaluation/labelled-query.js';
import { queriesOf } from '../../src/evaluation/query-file.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import type { JsonSchema } from '../../src/manifest/schema.js';
import type { Decision } from '../../src/wire/route.js';
import { type BrokenPayload, PayloadBreaker } from './broken-payload.js';
import type { LabelledSet } from './labelled-sets.js';

const SEED = 5;

/** A labelled query whose payload lacks fields. */
interface BrokenQuery {
  readonly query: LabelledQuery;
  readonly broken: BrokenPayload;
}

/** What came of the broken queries of a set; all but `queries` are counts of them or shares. */
export interface MissingFieldsFound {
  readonly queries: number;
  /** Queries from which a field inside another was taken out. */
  readonly nested: number;
  /** Share whose best capability is right, unbroken and broken. */
  readonly rightWhole: number;
  readonly rightBroken: number;
  /** Of those that are right though broken: share that tells exactly what is missing. */
  readonly exact: number;
  /** Share that is right and asked back for exactly that, at the threshold of the service. */
  readonly askedBack: number;
  readonly outcomes: Readonly<Partial<Record<Decision['outcome'], number>>>;
}

/** What came of queries without payloads that were answered by a choice. */
export interface ChoicesFound {
  readonly queries: number;
  readonly offered: number;
  /** Of those: share whose choices hold the right one. */
  readonly holdRight: number;
}

/** In an order that is the same in every run. */
function shuffled<T>(all: readonly T[]): T[] {
  const random = seededRandom(SEED);
  return all
    .map((item) => ({ item, drawn: random() }))
    .sort((a, b) => a.drawn - b.drawn)
    .map(({ item }) => item);
}

async function inScope({ queries }: LabelledSet): Promise<LabelledQuery[]> {
  const found: LabelledQuery[] = [];
  for await (const query of queriesOf(queries)) if (query.expected.length > 0) found.push(query);
  return found;
}

/** Up to `count` queries that one capability is right for, broken, of those that have something that it requires. */
async function brokenQueries(set: LabelledSet, count: number): Promise<BrokenQuery[]> {
  const { capabilities }: { capabilities: { id: string; input_schema?: JsonSchema }[] } = JSON.parse(
    await readFile(set.manifest, 'utf8'),
  );
  const schemas = new Map(capabilities.map(({ id, input_schema: schema = true }) => [id, schema]));
  const random = seededRandom(SEED);
  const found: BrokenQuery[] = [];
  for (const query of shuffled(await inScope(set))) {
    const [label = '', another] = query.expected;
    const schema = another === undefined ? schemas.get(label) : undefined;
    if (schema === undefined || query.payload === null) continue;
    const broken = new PayloadBreaker(schema).break(query.payload, random);
    if (broken !== undefined) found.push({ query, broken });
    if (found.length === count) break;
  }
  return found;
}

const meanOf = (all: readonly boolean[]) => all.filter(Boolean).length / Math.max(1, all.length);

/** Routes up to `count` queries of a published set, whole and with required fields taken out. */
export async function measureMissingFields(
  reach: Reach,
  set: LabelledSet,
  names: CapabilityNames,
  count: number,
): Promise<MissingFieldsFound> {
  const answers = [];
  for (const { query, broken } of await brokenQueries(set, count)) {
    const { intent, payload } = query;
    const isRight = ({ candidates: [best] }: Decision) =>
      best !== undefined && isExpected(best, query, names);
    const whole = await reach.route({ intent, payload });
    const asServed = await reach.route({ intent, payload: broken.payload });
    // At no threshold every best capability is held against the payload.
    const sure = await reach.route({ intent, payload: broken.payload, threshold: 0 });
    const tells = ({ missingFields = [] }: Decision) =>
      [...missingFields].sort().join() === broken.missing.join();
    answers.push({
      nested: broken.removed.some((pointer) => pointer.lastIndexOf('/') > 0),
      rightWhole: isRight(whole),
      rightBroken: isRight(sure),
      exact: tells(sure),
      askedBack: isRight(asServed) && asServed.outcome === 'clarify' && tells(asServed),
      outcome: asServed.outcome,
    });
  }
  const outcomes: Partial<Record<Decision['outcome'], number>> = {};
  for (const { outcome } of answers) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1 / answers.length;
  return {
    queries: answers.length,
    nested: answers.filter(({ nested }) => nested).length,
    rightWhole: meanOf(answers.map(({ rightWhole }) => rightWhole)),
    rightBroken: meanOf(answers.map(({ rightBroken }) => rightBroken)),
    exact: meanOf(answers.filter(({ rightBroken }) => rightBroken).map(({ exact }) => exact)),
    askedBack: meanOf(answers.map(({ askedBack }) => askedBack)),
    outcomes,
  };
}

/** Routes up to `count` queries of a published set without their payloads, and looks at the choices that are offered. */
export async function measureChoices(
  reach: Reach,
  set: LabelledSet,
  names: CapabilityNames,
  count: number,
): Promise<ChoicesFound> {
  const asked = shuffled(await inScope(set)).slice(0, count);
  const held: boolean[] = [];
  for (const query of asked) {
    const { choices = [] } = await reach.route({ intent: query.intent });
    if (choices.length > 0) held.push(choices.some((choice) => isExpected(choice, query, names)));
  }
  return { queries: asked.length, offered: held.length, holdRight: meanOf(held) };
}
