import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { builtEntry } from '../../src/built-entry.js';

const run = promisify(execFile);

/** In a process with little memory: what is kept without need ends it, and what a collection may still find does not. */
const PARSE_AND_DROP = `
  const { parseManifest } = await import(process.argv[1]);
  const parsed = (input_schema) =>
    parseManifest({ agent_name: 'a', manifest_version: 1, capabilities: [{ id: 'a', name: 'A', input_schema }] });
  const fields = (seed) => Array.from({ length: 900 }, (_, i) => ['field_' + seed + '_' + i, { minLength: i % 7 }]);
  const small = [
    { properties: { list: { type: 'array', uniqueItems: true } } },
    { anyOf: [{ required: ['a'], properties: {} }, { properties: {} }] },
  ];
  const kept = [];
  for (let round = 0; round < 8; round += 1) {
    kept.push(await parsed(small[round % 2]));
    for (let i = 0; i < 31; i += 1) await parsed({ properties: Object.fromEntries(fields(31 * round + i)) });
  }
  console.log(kept.filter(({ validators }) => validators.check('a', {}).errors.length === 0).length);
`;

test('a schema that is kept does not keep those that were compiled beside it', async () => {
  const parser = pathToFileURL(builtEntry('manifest/parse-manifest.js')).href;
  const flags = ['--max-old-space-size=100', '--input-type=module', '-e', PARSE_AND_DROP];
  const { stdout } = await run(process.execPath, [...flags, parser]);
  expect(stdout.trim()).toBe('8');
}, 120_000);
