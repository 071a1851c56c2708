import { expect, test } from 'vitest';
import { MANIFEST_LIMITS } from '../../src/manifest/schema.js';
import { faultsOf, manifestOf, manifestWith } from './manifests.js';

const chars = (count: number) => 'x'.repeat(count);
const items = <T>(count: number, item: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));
const fields = (count: number, value: string) =>
  Object.fromEntries(items(count, (index) => [`k${index}`, value]));
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

const capability = (more: object) => manifestWith({ capabilities: [{ id: 'a', name: 'A', ...more }] });
const instance = (more: object) =>
  manifestWith({ instances: [{ instance_id: 'i', address: 'http://h', ...more }] });
const oauth = (more: object) =>
  manifestWith({
    auth: {
      type: 'oauth2_client_credentials',
      token_url: 'https://id.example/token',
      client_id_ref: 'env:ID',
      client_secret_ref: 'env:SECRET',
      ...more,
    },
  });
/** An address of so many characters. */
const address = (count: number) => `http://h/${chars(count - 'http://h/'.length)}`;

const { capabilities, examples, textChars, patternChars, depth } = MANIFEST_LIMITS;

test.each<[pointer: string, of: (value: never) => object, atLimit: unknown, over: unknown]>([
  ['/agent_name', (agent_name) => manifestWith({ agent_name }), chars(63), chars(64)],
  [
    '/manifest_version',
    (manifest_version) => manifestWith({ manifest_version }),
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER + 1,
  ],
  ['/manifest_version', (manifest_version) => manifestWith({ manifest_version }), 1, 0],
  ['/schema_version', (schema_version) => manifestWith({ schema_version }), 1, 2],
  ['/team', (team) => manifestWith({ team }), chars(128), chars(129)],
  ['/visible_to', (count) => manifestWith({ visible_to: items(count, String) }), 1_000, 1_001],
  ['/visible_to/0', (count) => manifestWith({ visible_to: [chars(count)] }), 128, 129],
  [
    '/capabilities',
    (count) => manifestWith({ capabilities: items(count, (index) => ({ id: `c${index}`, name: 'C' })) }),
    capabilities,
    capabilities + 1,
  ],
  [
    '/capabilities',
    (count) => manifestWith({ capabilities: items(count, () => ({ id: 'c', name: 'C' })) }),
    1,
    0,
  ],
  ['/capabilities/0/id', (id) => capability({ id }), chars(128), chars(129)],
  ['/capabilities/0/name', (name) => capability({ name }), chars(256), chars(257)],
  [
    '/capabilities/0/description',
    (description) => capability({ description }),
    chars(textChars),
    chars(textChars + 1),
  ],
  [
    '/capabilities/0/examples',
    (count) => capability({ examples: items(count, String) }),
    examples,
    examples + 1,
  ],
  [
    '/capabilities/0/examples/0',
    (count) => capability({ examples: [chars(count)] }),
    textChars,
    textChars + 1,
  ],
  ['/capabilities/0/tags', (count) => capability({ tags: items(count, String) }), 100, 101],
  ['/capabilities/0/tags/0', (count) => capability({ tags: [chars(count)] }), 128, 129],
  ['/capabilities/0/priority', (priority) => capability({ priority }), 100, 101],
  ['/capabilities/0/priority', (priority) => capability({ priority }), 0, -1],
  [
    '/capabilities/0/equivalent_to',
    (count) => capability({ equivalent_to: items(count, (index) => `a/${index}`) }),
    100,
    101,
  ],
  ['/capabilities/0/threshold', (threshold) => capability({ threshold }), 1, 1.000001],
  ['/capabilities/0/deadline_ms', (deadline_ms) => capability({ deadline_ms }), 3_600_000, 3_600_001],
  ['/capabilities/0/expected_ms', (expected_ms) => capability({ expected_ms }), 3_600_000, 3_600_001],
  ['/capabilities/0/expected_ms', (expected_ms) => capability({ expected_ms }), 1, 0],
  [
    '/capabilities/0/degrade/max_age_ms',
    (max_age_ms) => capability({ degrade: { kind: 'last_good', max_age_ms } }),
    1,
    0,
  ],
  [
    '/capabilities/0/input_schema/pattern',
    (count) => manifestOf({ pattern: `^${chars(count - 1)}` }),
    patternChars,
    patternChars + 1,
  ],
  [
    '/dependencies/llm_model',
    (llm_model) => manifestWith({ dependencies: { llm_model } }),
    chars(256),
    chars(257),
  ],
  [
    '/dependencies/max_concurrency',
    (max_concurrency) => manifestWith({ dependencies: { max_concurrency } }),
    100_000,
    100_001,
  ],
  ['/limits/max_qps', (max_qps) => manifestWith({ limits: { max_qps } }), Number.MIN_VALUE, 0],
  ['/execute_endpoint', (count) => manifestWith({ execute_endpoint: `/${chars(count - 1)}` }), 2_048, 2_049],
  ['/health_endpoint', (count) => manifestWith({ health_endpoint: `/${chars(count - 1)}` }), 2_048, 2_049],
  ['/labels', (count) => manifestWith({ labels: fields(count, 'v') }), 256, 257],
  ['/labels/k0', (count) => manifestWith({ labels: fields(1, chars(count)) }), 256, 257],
  ['/auth/token_url', (count) => oauth({ token_url: address(count) }), 2_048, 2_049],
  ['/auth/scope', (count) => oauth({ scope: chars(count) }), 1_024, 1_025],
  [
    '/instances',
    (count) =>
      manifestWith({
        instances: items(count, (index) => ({ instance_id: `i${index}`, address: 'http://h' })),
      }),
    1_000,
    1_001,
  ],
  ['/instances/0/instance_id', (instance_id) => instance({ instance_id }), chars(128), chars(129)],
  ['/instances/0/address', (count) => instance({ address: address(count) }), 2_048, 2_049],
  ['/instances/0/weight', (weight) => instance({ weight }), 10_000, 10_001],
  ['/instances/0/weight', (weight) => instance({ weight }), 0, -1],
  ['/instances/0/region', (region) => instance({ region }), chars(128), chars(129)],
  ['/instances/0/labels', (count) => instance({ labels: fields(count, 'v') }), 256, 257],
  // The manifest itself is a level.
  [
    `/metadata/a${'/0'.repeat(depth - 2)}`,
    (levels) => manifestWith({ metadata: { a: nested(levels) } }),
    depth - 2,
    depth - 1,
  ],
])('%s: at its limit taken, just over it refused there', async (pointer, of, atLimit, over) => {
  expect(await faultsOf(of(atLimit as never))).toEqual([]);
  const faults = await faultsOf(of(over as never));
  expect(faults.map((fault) => fault.slice(0, fault.indexOf(': ')))).toEqual([pointer]);
});
