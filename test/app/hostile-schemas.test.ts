import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, serve } from '../../src/app.js';
import { ReachError } from '../../src/errors.js';
import { checkManifests } from '../../src/manifest/check-manifests.js';
import { parseManifest } from '../../src/manifest/parse-manifest.js';
import { MANIFEST_LIMITS } from '../../src/manifest/schema.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** A hostile schema is refused within this time, wherever it comes in. */
const MAX_MS = 100;
/** A machine on which much else runs takes several times as long; the best of some tries counts. */
const NOISE = 3;
const TRIES = 10;

const times = <T>(count: number, item: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));
const named = (count: number, item: (index: number) => readonly [string, unknown]) =>
  Object.fromEntries(times(count, item));
/** Schemas nested in each other. */
const nested = (levels: number): object =>
  times(levels, (level) => level).reduce<object>((schema) => ({ items: schema }), {});
/** Each definition refers to the next one so many times. */
const chain = (length: number, links: number) => ({
  ...named(length, (i) => [`d${i}`, { allOf: times(links, () => ({ $ref: `#/$defs/d${i + 1}` })) }]),
  [`d${length}`]: {},
});
const slow = (pattern: string) => ({ properties: { q: { type: 'string', pattern } } });

const HOSTILE: Readonly<Record<string, object>> = {
  'deep by one level': nested(MANIFEST_LIMITS.schemaDepth),
  'deep by 1,000 levels': nested(1_000),
  'wide by one field': { properties: named(MANIFEST_LIMITS.schemaNodes, (i) => [`f${i}`, {}]) },
  'wide by 10,000 fields': { properties: named(10_000, (i) => [`f${i}`, { type: 'string' }]) },
  'a huge enum': { enum: times(50_000, (i) => `value ${i}`) },
  'a huge enum of objects': { enum: times(MANIFEST_LIMITS.schemaNodes, (i) => ({ i })) },
  'recursive without end': { $ref: '#' },
  'recursive without end, in disguise': { anyOf: [{ not: { allOf: [{ $ref: '#' }] } }] },
  'recursive in a ring': { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
  'references that double 60 times': { $ref: '#/$defs/d0', $defs: chain(60, 2) },
  'a reference too many': { $ref: '#/$defs/d0', $defs: chain(MANIFEST_LIMITS.schemaRefs, 1) },
  'thousands of references to each other': {
    $defs: named(3_000, (i) => [`d${i}`, { $ref: `#/$defs/d${(i + 1) % 3_000}` }]),
  },
  'a reference to another machine': { $ref: 'https://example.com/schema.json' },
  'a reference to a file': { properties: { a: { $ref: 'file:///etc/passwd' } } },
  'a dynamic reference to another machine': { $dynamicRef: 'http://169.254.169.254/#x' },
  'an answer that comes later': { $async: true, type: 'object' },
  'an unknown dialect': { $schema: 'https://example.com/dialect' },
  'a slow pattern': slow('^(a+)+$'),
  'a slow pattern of alternatives': slow('^(a|a)*$'),
  'a slow pattern with a plain start': slow('^[a-z]+@(?:[a-z]+[.]?)+[.]com$'),
  'a pattern slow by counting': slow('^(?:a{1,100}){1,100}$'),
  'a pattern slow from every place': slow('a{0,500}b{0,500}c{0,500}$'),
  'a pattern of many repetitions': slow('(.*a){25}'),
  'a pattern slow in a lookahead': slow('^(?=(x+x+)+y).*$'),
  'a pattern with a back reference': slow('^(.*)\\1$'),
  'a pattern that multiplies': slow('^(?:(?:(?:(?:a{1,16}){1,16}){1,16}){1,16}){1,16}$'),
  'a pattern of a thousand choices': slow(`^${'(?:a|b?)'.repeat(120)}$`),
  'a pattern that is too long': slow(`^${'a?'.repeat(MANIFEST_LIMITS.patternChars)}$`),
  'a slow pattern for names': { patternProperties: { '^(a*)*$': true } },
  'a pattern too many': {
    patternProperties: named(MANIFEST_LIMITS.schemaPatterns + 1, (i) => [`^f${i}$`, true]),
  },
  'many patterns, the last one slow': {
    patternProperties: named(MANIFEST_LIMITS.schemaPatterns, (i) => [i < 199 ? `^f${i}$` : '(f+)+$', true]),
  },
  'no regular expression': slow('(('),
};

const documentWith = (field: 'input_schema' | 'output_schema', schema: object) => ({
  agent_name: 'hostile',
  manifest_version: 1,
  capabilities: [{ id: 'x', name: 'X', [field]: schema }],
});

/** The time of the first try that was fast enough, else of the best one. */
async function bestMs(work: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && best >= MAX_MS; attempt += 1) {
    const startedAt = performance.now();
    await work();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

const folder = await temporaryFolder(afterAll);
let service: Service;
beforeAll(async () => {
  service = await serve({ port: 0, data: null, manifests: null, logLevel: 'silent' });
});
afterAll(() => service.close());

describe(`a hostile schema is refused within ${MAX_MS} ms, wherever it comes in`, () => {
  test.each(Object.entries(HOSTILE))('%s', async (name, schema) => {
    for (const field of ['input_schema', 'output_schema'] as const) {
      const document = documentWith(field, schema);
      const parsing = await bestMs(async () => {
        const thrown: unknown = await parseManifest(document).catch((error) => error);
        expect(thrown).toBeInstanceOf(ReachError);
        expect(thrown).toMatchObject({ code: 'MANIFEST_INVALID' });
      });
      expect(parsing, `${field} when parsed`).toBeLessThan(NOISE * MAX_MS);
    }

    const body = JSON.stringify(documentWith('input_schema', schema));
    const file = join(folder, 'hostile.json');
    await writeFile(file, body);
    const checking = await bestMs(async () => {
      expect((await checkManifests([file])).faults).not.toEqual([]);
    });
    expect(checking, 'when checked as a file').toBeLessThan(NOISE * MAX_MS);

    const publishing = await bestMs(async () => {
      const answer = await fetch(`${service.address}/api/v1/agents/hostile/manifest`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect([400, 413, 422], `${name}: ${await answer.text()}`).toContain(answer.status);
    });
    expect(publishing, 'when published over HTTP').toBeLessThan(NOISE * MAX_MS);
  });

  test('and a manifest of thousands of them in little more', async () => {
    const capabilities = times(MANIFEST_LIMITS.capabilities, (i) => ({
      id: `c${i}`,
      name: 'C',
      input_schema: slow(`^(?:a|b|c${i}){1,16}(?:a|b){1,16}$`),
    }));
    const parsing = await bestMs(async () => {
      await expect(parseManifest({ agent_name: 'hostile', capabilities })).rejects.toMatchObject({
        code: 'MANIFEST_INVALID',
      });
    });
    expect(parsing).toBeLessThan(20 * NOISE * MAX_MS);
  });
});
