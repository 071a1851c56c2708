import { CLUSTERING, singleVectors } from './support/clustered-vectors.js';
import type { Bench, Figure } from './support/figure.js';
import {
  fill,
  median,
  newExact,
  newIndex,
  recallAt5,
  residentMb,
  searchTimes,
  untilBuilt,
} from './support/index-run.js';

const DIM = 384;
const SEED = 1;
const SIZES = [1_000, 10_000, 100_000];
const QUERIES = 200;

interface Scaled {
  readonly capabilities: number;
  readonly searchMs: number;
  readonly exactMs: number;
  readonly recall: number;
  readonly memoryMb: number;
  readonly buildS: number;
}

async function measure(capabilities: number): Promise<Scaled> {
  const { vectors, queries } = singleVectors(capabilities, QUERIES, { dim: DIM, seed: SEED });
  const index = newIndex(DIM);
  try {
    const before = residentMb();
    const startedAt = performance.now();
    fill(index, vectors);
    await untilBuilt(index);
    const buildS = (performance.now() - startedAt) / 1000;
    const memoryMb = residentMb() - before;
    const exact = newExact(DIM);
    fill(exact, vectors);
    // The first searches are slower: caches fill, code is compiled.
    searchTimes(index, queries);
    return {
      capabilities,
      searchMs: median(searchTimes(index, queries)),
      exactMs: median(searchTimes(exact, queries)),
      recall: recallAt5(index, exact, queries),
      memoryMb,
      buildS,
    };
  } finally {
    await index.close();
  }
}

/** From how many vectors on a graph is faster than the scan: the first of these from which it stays so. */
const CROSSINGS = [2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 50_000];
const ROUNDS = 5;

async function crossingPoint(): Promise<number> {
  let crossing = Number.POSITIVE_INFINITY;
  for (const vectorCount of CROSSINGS.toReversed()) {
    if (!(await graphIsFaster(vectorCount))) return crossing;
    crossing = vectorCount;
  }
  return crossing;
}

async function graphIsFaster(vectorCount: number): Promise<boolean> {
  const { vectors, queries } = singleVectors(vectorCount, QUERIES, { dim: DIM, seed: SEED });
  const [graph, exact] = [newIndex(DIM, 1), newExact(DIM)];
  try {
    for (const index of [graph, exact]) fill(index, vectors);
    await untilBuilt(graph);
    for (const index of [graph, exact]) searchTimes(index, queries);
    const [graphMs, exactMs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      graphMs.push(median(searchTimes(graph, queries)));
      exactMs.push(median(searchTimes(exact, queries)));
    }
    return Math.min(...graphMs) < Math.min(...exactMs);
  } finally {
    await graph.close();
  }
}

function figuresOf({ capabilities, searchMs, exactMs, recall, memoryMb, buildS }: Scaled): Figure[] {
  const size = `${capabilities / 1000}k`;
  const shown = { better: 'lower', goal: null } as const;
  return [
    { ...shown, name: `${size}: search, p50`, value: searchMs, unit: 'ms', ceiling: exactMs },
    { name: `${size}: recall@5`, value: recall, unit: '', better: 'higher', goal: 0.99, ceiling: 1 },
    { ...shown, name: `${size}: memory of the index`, value: memoryMb, unit: 'MB' },
    { ...shown, name: `${size}: until built`, value: buildS, unit: 's' },
  ];
}

function growthOf(smaller: Scaled, larger: Scaled): Figure[] {
  const step = `${smaller.capabilities / 1000}k -> ${larger.capabilities / 1000}k`;
  const shown = { unit: 'x', better: 'lower', goal: null } as const;
  return [
    { ...shown, name: `${step}: search`, value: larger.searchMs / smaller.searchMs },
    { ...shown, name: `${step}: exact scan`, value: larger.exactMs / smaller.exactMs },
    { ...shown, name: `${step}: memory`, value: larger.memoryMb / smaller.memoryMb },
    { ...shown, name: `${step}: until built`, value: larger.buildS / smaller.buildS },
  ];
}

export const bench: Bench = {
  name: 'scale',
  title: `Finding 32 capabilities by vector (${DIM} numbers; seed ${SEED}, ${CLUSTERING}) as a catalogue grows; the bare run is the exact scan.`,
  async run() {
    // First, while the process holds nothing else: what it gives back later would be taken off a small index.
    const scaled: Scaled[] = [];
    for (const size of SIZES) scaled.push(await measure(size));
    const crossing = await crossingPoint();
    const steps = scaled.slice(1).flatMap((larger, i) => {
      const smaller = scaled[i];
      return smaller === undefined ? [] : growthOf(smaller, larger);
    });
    return [
      {
        name: 'a graph is faster from',
        value: crossing,
        unit: 'vectors',
        better: 'lower',
        goal: null,
      },
      ...scaled.flatMap(figuresOf),
      ...steps,
    ];
  },
};
