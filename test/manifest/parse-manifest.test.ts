import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { parseManifest, restoreManifest } from '../../src/manifest/parse-manifest.js';
import { MANIFEST_LIMITS } from '../../src/manifest/schema.js';
import { faultsOf, manifestOf, manifestWith } from './manifests.js';

const SCHEMA = '/capabilities/0/input_schema';

function nested(levels: number): object {
  return levels === 1 ? {} : { a: nested(levels - 1) };
}

describe('parseManifest', () => {
  it('fills in the defaults and keeps the document with its unknown fields', async () => {
    const given = manifestWith({ manifest_version: 7, x_team_note: { any: ['thing'] } });
    const { manifest, document } = await parseManifest(given);
    expect(document).toEqual(given);
    expect(document).not.toBe(given);
    expect(manifest).toMatchObject({
      agentName: 'reports',
      manifestVersion: 7,
      team: 'default',
      visibleTo: ['*'],
      executeEndpoint: '/execute',
      healthEndpoint: '/healthz',
      auth: { type: 'none' },
      labels: {},
      instances: [],
    });
    expect(manifest.capabilities[0]).toMatchObject({
      description: '',
      examples: [],
      priority: 50,
      inputSchema: true,
      outputSchema: true,
      idempotent: false,
      threshold: undefined,
    });
  });

  it('keeps every field of each kind of auth, degrade and instance', async () => {
    const { manifest } = await parseManifest(
      manifestWith({
        auth: {
          type: 'oauth2_client_credentials',
          token_url: 'https://id.example/token',
          client_id_ref: 'env:ID',
          client_secret_ref: 'file:/run/secret',
        },
        capabilities: [
          { id: 'a', name: 'A', degrade: { kind: 'last_good', max_age_ms: 5 } },
          { id: 'b', name: 'B', degrade: { kind: 'canned', value: { snake_case: 1 } } },
        ],
        instances: [{ instance_id: 'i', address: 'http://127.0.0.1:9595/base' }],
      }),
    );
    expect(manifest.auth).toEqual({
      type: 'oauth2_client_credentials',
      tokenUrl: 'https://id.example/token',
      clientIdRef: 'env:ID',
      clientSecretRef: 'file:/run/secret',
    });
    expect(manifest.capabilities.map(({ degrade }) => degrade)).toEqual([
      { kind: 'last_good', maxAgeMs: 5 },
      { kind: 'canned', value: { snake_case: 1 } },
    ]);
    expect(manifest.instances[0]).toMatchObject({ instanceId: 'i', weight: 100, labels: {} });
  });

  it('does not repeat a secret that stands where it should be named', async () => {
    const auth = { type: 'bearer', secret_ref: 'sk-live-123456' };
    await expect(parseManifest(manifestWith({ auth }))).rejects.toMatchObject({
      message: expect.not.stringContaining('sk-live'),
      errors: [
        { pointer: '/auth/secret_ref', expected: '"env:NAME" or "file:PATH"', received: 'something else' },
      ],
    });
  });

  it('tells all faults at once, in words and where they are', async () => {
    const faults = await faultsOf({
      agent_name: 'Not A Name',
      manifest_version: 0,
      auth: { type: 'basic' },
      execute_endpoint: '//elsewhere.example/execute',
      capabilities: [
        { id: ' a', name: '  ', priority: 101, input_schema: 3 },
        { name: 'no id', degrade: { kind: 'canned' } },
      ],
    });
    expect([...faults].sort()).toEqual([
      '/agent_name: 1 to 63 lower-case letters, digits, dots, underscores or hyphens, a letter or digit first',
      '/auth/type: "none", "bearer" or "oauth2_client_credentials"',
      '/capabilities/0/id: 1 to 128 characters without control characters, and no space at the ends',
      '/capabilities/0/input_schema: an object or true or false',
      '/capabilities/0/name: text that is not blank',
      '/capabilities/0/priority: a number of at most 100',
      '/capabilities/1/degrade/value: a value, since this field is required',
      '/capabilities/1/id: a value, since this field is required',
      '/execute_endpoint: a path that starts with one /, without spaces, backslashes and #',
      '/manifest_version: a number of at least 1',
    ]);
  });

  it('names at most 50 faults', async () => {
    const capabilities = Array.from({ length: 200 }, (_, index) => ({ id: `c${index}` }));
    expect(await faultsOf(manifestWith({ capabilities }))).toHaveLength(50);
  });

  it.each([
    'say "hi"',
    '{curly} | * ?',
    'a/b~c',
    '📈 report',
    '生成周报摘要',
    'abc\u200fdef\u202e',
    '__proto__',
    'constructor',
    'x'.repeat(128),
    '📈'.repeat(128),
  ])('takes the capability id %j', async (id) => {
    const { manifest, validators } = await parseManifest(
      manifestWith({ capabilities: [{ id, name: 'A', input_schema: { required: ['x'] } }] }),
    );
    expect(manifest.capabilities[0]?.id).toBe(id);
    expect(validators.check(id, {}).missing).toEqual(['/x']);
  });

  it.each(['', ' a', 'a\u3000', 'a\nb', '\u0000', 'x'.repeat(129), '\ud800'])(
    'refuses the capability id %j',
    async (id) => {
      expect(await faultsOf(manifestWith({ capabilities: [{ id, name: 'A' }] }))).toHaveLength(1);
    },
  );

  it('refuses ids that are there twice, also where only their Unicode form differs', async () => {
    const capabilities = ['caf\u00e9', 'b', 'cafe\u0301'].map((id) => ({ id, name: 'A' }));
    const instances = ['i', 'i'].map((instance_id) => ({ instance_id, address: 'http://h' }));
    expect(await faultsOf(manifestWith({ capabilities, instances }))).toEqual([
      '/capabilities/2/id: an id that is there once',
      '/instances/1/instance_id: an id that is there once',
    ]);
  });

  it.each(['ftp://h', 'h:80', 'http://', 'http://user:pw@h', 'http://h?x=1', 'http://h#f', 'javascript:1'])(
    'refuses the address %s without repeating it',
    async (address) => {
      const given = manifestWith({ instances: [{ instance_id: 'i', address }] });
      const error: unknown = await parseManifest(given).catch((thrown) => thrown);
      expect(error).toMatchObject({
        code: 'MANIFEST_INVALID',
        errors: [{ pointer: '/instances/0/address' }],
      });
      expect(JSON.stringify(error)).not.toContain('pw@');
    },
  );

  it.each([null, 1, 'text', [], true, undefined])('refuses %j', async (document) => {
    expect(await faultsOf(document)).toEqual([': a manifest: an object']);
  });

  it('refuses prototype keys, cycles and what JSON cannot hold, wherever they are', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = [cycle, cycle];
    for (const value of [JSON.parse('{"__proto__":{}}'), { constructor: { prototype: {} } }, cycle]) {
      expect(await faultsOf(manifestWith({ metadata: { value } }))).toHaveLength(1);
    }
    for (const value of [Number.NaN, Infinity, 1n, new Date(), new Map(), () => 1, Symbol('s')]) {
      expect(await faultsOf(manifestOf({ default: value }))).toHaveLength(1);
    }
    expect(({} as Record<string, unknown>).prototype).toBeUndefined();
  });

  it('refuses 10,000 levels of nesting', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`);
    expect(await faultsOf(manifestWith({ metadata: deep }))).toHaveLength(1);
    expect(await faultsOf(manifestOf(deep))).toHaveLength(1);
  });

  it('takes 5,000 capabilities and refuses one more', async () => {
    const capabilities = Array.from({ length: MANIFEST_LIMITS.capabilities }, (_, index) => ({
      id: `c${index}`,
      name: 'n',
    }));
    expect(await faultsOf(manifestWith({ capabilities }))).toEqual([]);
    capabilities.push({ id: 'one-more', name: 'n' });
    expect(await faultsOf(manifestWith({ capabilities }))).toEqual(['/capabilities: at most 5000 items']);
  });

  it('takes 8 MB and refuses more', async () => {
    const room = MANIFEST_LIMITS.bytes - JSON.stringify(manifestWith({ metadata: { text: '' } })).length;
    expect(await faultsOf(manifestWith({ metadata: { text: 'x'.repeat(room - 100) } }))).toEqual([]);
    expect(await faultsOf(manifestWith({ metadata: { text: 'x'.repeat(room + 100) } }))).toHaveLength(1);
  });

  it('lets other work have its turn while a large manifest is compiled', async () => {
    const capabilities = Array.from({ length: 300 }, (_, index) => ({
      id: `c${index}`,
      name: 'n',
      input_schema: { properties: { [`p${index}`]: { type: 'string', maxLength: index } }, required: ['q'] },
    }));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await parseManifest(manifestWith({ capabilities }));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  it('answers arbitrary JSON with a manifest or MANIFEST_INVALID', async () => {
    const keywords = [
      'type',
      '$ref',
      '$schema',
      'properties',
      'items',
      'anyOf',
      'enum',
      '$id',
      'not',
      'required',
    ];
    const looseSchema = fc.dictionary(
      fc.constantFrom(...keywords),
      fc.oneof(
        fc.constantFrom<unknown>('string', '#', '#/properties', 'object', {}, [{}], true),
        fc.jsonValue(),
      ),
    );
    const loose = fc.record(
      {
        agent_name: fc.oneof(fc.constant('agent'), fc.jsonValue()),
        capabilities: fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.record(
              {
                id: fc.oneof(fc.string(), fc.jsonValue()),
                name: fc.oneof(fc.string(), fc.jsonValue()),
                input_schema: fc.oneof(fc.jsonValue(), looseSchema),
                degrade: fc.jsonValue(),
              },
              { requiredKeys: [] },
            ),
          ),
        ),
        auth: fc.jsonValue(),
        instances: fc.jsonValue(),
        labels: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.jsonValue({ maxDepth: 8 }), loose, looseSchema.map(manifestOf)),
        async (document) => {
          const thrown: unknown = await parseManifest(document).then(
            () => undefined,
            (error) => error,
          );
          if (thrown === undefined) return;
          expect(thrown).toBeInstanceOf(ReachError);
          expect(thrown).toMatchObject({ code: 'MANIFEST_INVALID' });
          expect((thrown as ReachError).errors.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('the limits of a schema', () => {
  const objects = (count: number) => ({
    properties: Object.fromEntries(Array.from({ length: count - 2 }, (_, index) => [`p${index}`, {}])),
  });
  const refs = (count: number) => ({
    allOf: Array.from({ length: count }, () => ({ $ref: '#/$defs/a' })),
    $defs: { a: {} },
  });
  const patterns = (count: number) => ({
    patternProperties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`^p${index}$`, {}])),
  });
  const bytes = (count: number) => ({
    description: 'x'.repeat(count - JSON.stringify({ description: '' }).length),
  });

  it.each([
    ['depth', nested(MANIFEST_LIMITS.schemaDepth), nested(MANIFEST_LIMITS.schemaDepth + 1)],
    ['nodes', objects(MANIFEST_LIMITS.schemaNodes), objects(MANIFEST_LIMITS.schemaNodes + 1)],
    ['references', refs(MANIFEST_LIMITS.schemaRefs), refs(MANIFEST_LIMITS.schemaRefs + 1)],
    ['patterns', patterns(MANIFEST_LIMITS.schemaPatterns), patterns(MANIFEST_LIMITS.schemaPatterns + 1)],
    ['bytes', bytes(MANIFEST_LIMITS.schemaBytes), bytes(MANIFEST_LIMITS.schemaBytes + 1)],
  ])('hold for its %s: at the limit accepted, over it refused', async (_, atLimit, over) => {
    expect(await faultsOf(manifestOf(atLimit))).toEqual([]);
    const faults = await faultsOf(manifestOf(over));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${SCHEMA}: `);
    const output = { capabilities: [{ id: 'a', name: 'A', output_schema: over }] };
    expect(await faultsOf(manifestWith(output))).toHaveLength(1);
  });

  it.each([
    ['http://json-schema.org/draft-07/schema#', true],
    ['https://json-schema.org/draft-07/schema', true],
    ['https://json-schema.org/draft/2020-12/schema', true],
    ['http://json-schema.org/draft-04/schema#', false],
    ['https://json-schema.org/draft/2019-09/schema', false],
    [7, false],
  ])('know the dialect %s: %s', async ($schema, known) => {
    expect((await faultsOf(manifestOf({ $schema, type: 'object' }))).length === 0).toBe(known);
  });

  it('tell a fault inside a schema where it is', async () => {
    const faults = await faultsOf(manifestOf({ properties: { a: { type: 'strin' }, b: { minLength: -1 } } }));
    expect(faults).toHaveLength(2);
    expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual([
      `${SCHEMA}/properties/a/type`,
      `${SCHEMA}/properties/b/minLength`,
    ]);
  });

  it('refuse references to elsewhere, to nowhere and to values', async () => {
    const bad = [
      { $ref: 'https://example.com/schema' },
      { $ref: 'other.json#/a' },
      { $ref: '#/$defs/missing' },
      { $ref: '#/default', default: { pattern: '(a+)+$' } },
    ];
    for (const schema of bad) expect(await faultsOf(manifestOf(schema))).toHaveLength(1);
  });

  it('refuse a schema that never ends, and one that multiplies', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const $ref = `#/$defs/d${index + 1}`;
        return [`d${index}`, { allOf: [{ $ref }, { $ref }] }];
      }),
    );
    const multiplying = { $ref: '#/$defs/d0', $defs: { ...$defs, d60: { type: 'object' } } };
    for (const schema of [{ $ref: '#' }, { anyOf: [{ not: { $ref: '#' } }] }, multiplying]) {
      expect(await faultsOf(manifestOf(schema))).toEqual([
        `${SCHEMA}: a schema that judges an empty object with bounded work`,
      ]);
    }
  });

  it('let schemas of a manifest share an $id and refer to themselves', async () => {
    const schema = (type: string) => ({
      $id: 'https://example.com/s',
      type: 'object',
      properties: { a: { type }, n: { $ref: '#' } },
    });
    const { validators } = await parseManifest(
      manifestWith({
        capabilities: [
          { id: 'a', name: 'A', input_schema: schema('string') },
          { id: 'b', name: 'B', input_schema: schema('number') },
        ],
      }),
    );
    expect(validators.check('a', { n: { a: 1 } }).errors.map(({ pointer }) => pointer)).toEqual(['/n/a']);
    expect(validators.check('b', { n: { a: 1 } }).errors).toEqual([]);
  });

  it('refuse slow, undecidable, overlong and invalid patterns, also as property names', async () => {
    const schemas = [
      { pattern: '^(a|a)*$' },
      { patternProperties: { '^(a+)+$': {} } },
      { properties: { a: { items: { pattern: '(x+x+)+y' } } } },
      { pattern: '((' },
      { pattern: 'a'.repeat(MANIFEST_LIMITS.patternChars + 1) },
    ];
    for (const schema of schemas) expect(await faultsOf(manifestOf(schema))).toHaveLength(1);
    expect(await faultsOf(manifestOf({ pattern: '^[A-Z]{2}-[0-9]+$', enum: [{ pattern: '((' }] }))).toEqual(
      [],
    );
  });
});

describe('the document', () => {
  const given = manifestWith({
    capabilities: [{ id: 'a', name: 'A', input_schema: { properties: { week: { type: 'string' } } } }],
    labels: { env: 'prod' },
    metadata: { owners: ['x', { deep: [1] }] },
  });
  /** Every object and array in a value. */
  const containersIn = (value: unknown): object[] =>
    typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(containersIn)] : [];

  it('can be changed by nobody, at any depth, and what was given stays free', async () => {
    const { document } = await parseManifest(given);
    expect(containersIn(document)).toHaveLength(containersIn(given).length);
    expect(containersIn(document).filter((each) => !Object.isFrozen(each))).toEqual([]);
    expect(containersIn(given).filter(Object.isFrozen)).toEqual([]);
    const restored = restoreManifest(JSON.parse(JSON.stringify(document))).document;
    expect(restored).toEqual(given);
    expect(containersIn(restored).filter((each) => !Object.isFrozen(each))).toEqual([]);
  });
});

describe('restoreManifest', () => {
  it('gives what parseManifest gave', async () => {
    const parsed = await parseManifest(manifestOf({ required: ['rows'] }));
    const restored = restoreManifest(parsed.document);
    expect(restored.manifest).toEqual(parsed.manifest);
    expect(restored.validators.check('a', {})).toEqual(parsed.validators.check('a', {}));
  });
});
