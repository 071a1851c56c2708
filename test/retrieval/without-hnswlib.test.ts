import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { builtEntry } from '../../src/built-entry.js';

/** A Node in which `hnswlib-node` cannot be loaded, as where it was not compiled. */
const NO_HNSWLIB = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(\`
    export async function resolve(specifier, context, next) {
      if (specifier === 'hnswlib-node') throw new Error('Could not locate the bindings file.');
      return next(specifier, context);
    }
  \`));
`)}`;

const PROGRAM = `
  const { LayeredVectorIndex } = await import(${JSON.stringify(builtEntry('retrieval/layered-vector-index.js'))});
  const reports = [];
  const index = new LayeredVectorIndex({
    model: { dim: 2, hash: 'model' }, folder: null, catalogueVersion: () => 1, exactUpTo: 10,
    report: (message) => reports.push(message),
  });
  const at = (degrees) => Float32Array.of(Math.cos(degrees / 180 * Math.PI), Math.sin(degrees / 180 * Math.PI));
  for (let id = 0; id < 90; id += 1) {
    index.add(id, at(id));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  console.log(JSON.stringify({ reports, found: index.search(at(45), 1, () => true), status: index.status() }));
  await index.close();
`;

test('without hnswlib-node all is compared one by one, and one warning says so', async () => {
  const args = ['--import', NO_HNSWLIB, '--input-type=module', '-e', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({
    reports: [expect.stringContaining('Could not locate the bindings file.')],
    found: [45],
    status: { building: false, exactVectors: 90, segmentVectors: [] },
  });
});
