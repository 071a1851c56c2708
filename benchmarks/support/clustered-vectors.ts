import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { dot } from '../../src/retrieval/vector-math.js';

/** How far from the centre of their cluster, and how far from a capability's own centre, its texts lie. */
const CLUSTER_SPREAD = 0.5;
const CAPABILITY_SPREAD = 0.25;
const CAPABILITIES_A_CLUSTER = 20;

/** Says how the vectors were made, for whoever reads the figures. */
export const CLUSTERING = `clusters of ${CAPABILITIES_A_CLUSTER} capabilities, spread ${CLUSTER_SPREAD}; texts of a capability and queries, spread ${CAPABILITY_SPREAD}`;

export interface ClusteredVectors {
  /** Two unit vectors each. */
  readonly capabilities: readonly (readonly [Float32Array, Float32Array])[];
  /** Each near some capability. */
  readonly queries: readonly Float32Array[];
}

/** Vectors as a company's catalogue has them: groups of near neighbours. The same in every run with this seed. */
export function clusteredVectors(
  count: number,
  queryCount: number,
  { dim = 384, seed = 1 }: { readonly dim?: number; readonly seed?: number } = {},
): ClusteredVectors {
  const random = seededRandom(seed);
  const near = (centre: Float32Array, spread: number) =>
    unit(centre.map((x) => x + spread * normal(random, dim)));
  const origin = new Float32Array(dim);
  const centres = Array.from({ length: Math.ceil(count / CAPABILITIES_A_CLUSTER) }, () => near(origin, 1));
  const centreOf = (index: number) => near(centres[index % centres.length] ?? origin, CLUSTER_SPREAD);
  const capabilities = Array.from({ length: count }, (_, index) => {
    const centre = centreOf(index);
    return [near(centre, CAPABILITY_SPREAD), near(centre, CAPABILITY_SPREAD)] as const;
  });
  const queries = Array.from({ length: queryCount }, () => {
    const [vector = origin] = capabilities[Math.floor(random() * count)] ?? [];
    return near(vector, CAPABILITY_SPREAD);
  });
  return { capabilities, queries };
}

/** The same with one vector a capability, as an index takes them. */
export function singleVectors(...given: Parameters<typeof clusteredVectors>): {
  readonly vectors: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
} {
  const { capabilities, queries } = clusteredVectors(...given);
  return { vectors: capabilities.map(([vector]) => vector), queries };
}

/** A normally distributed number (Box and Muller) such that `dim` of them have length 1 on average. */
function normal(random: () => number, dim: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return (radius * Math.cos(2 * Math.PI * random())) / Math.sqrt(dim);
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((x) => x / length);
}
