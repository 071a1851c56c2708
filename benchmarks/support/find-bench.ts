import { readdirSync } from 'node:fs';
import type { Bench } from './figure.js';

const FOLDER = new URL('../', import.meta.url);
const ENDING = '.bench.ts';

/** The names of all benchmarks: each is a file `benchmarks/<name>.bench.ts`. */
export function benchNames(folder: URL = FOLDER): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/** Loads a benchmark; undefined where none has this name. */
export async function loadBench(name: string, folder: URL = FOLDER): Promise<Bench | undefined> {
  if (!benchNames(folder).includes(name)) return undefined;
  const module: { bench: Bench } = await import(new URL(name + ENDING, folder).href);
  return module.bench;
}
