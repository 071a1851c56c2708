import fc from 'fast-check';
import { expect, test } from 'vitest';
import { camelKey } from '../../src/wire/codec.js';
import { decisionCodec, routeRequestCodec } from '../../src/wire/route.js';

test('names that the schema declares are renamed at every depth', () => {
  const code = routeRequestCodec.decode({ top_k: 3, prefer: { reachability_score: 1 }, user_id: 'u' });
  expect(code).toEqual({ topK: 3, prefer: { reachabilityScore: 1 }, userId: 'u' });
  expect(routeRequestCodec.encode(code)).toEqual({
    top_k: 3,
    prefer: { reachability_score: 1 },
    user_id: 'u',
  });
});

test('what a team or a caller named stays as it is: payloads, labels', () => {
  const wire = { payload: { kpi_data: [{ sales_total: 1 }] }, filter: { labels: { data_centre: 'east_1' } } };
  expect(routeRequestCodec.decode(wire)).toEqual(wire);
  expect(routeRequestCodec.encode(routeRequestCodec.decode(wire))).toEqual(wire);
});

test('lists of objects are renamed item by item, null stays null', () => {
  const choices = [{ agent_name: 'a', capability_id: 'b', name: 'c', confidence: 1 }];
  const code = decisionCodec.decode({ choices, target_agent: null } as never);
  expect(code).toEqual({
    choices: [{ agentName: 'a', capabilityId: 'b', name: 'c', confidence: 1 }],
    targetAgent: null,
  });
});

test('undefined properties and names that the schema does not know do not reach the wire', () => {
  const code = { topK: undefined, intent: 'x', nonsense: 1 } as never;
  expect(Object.keys(routeRequestCodec.encode(code))).toEqual(['intent']);
});

test('any payload passes both ways untouched', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
      const code = routeRequestCodec.decode({ payload });
      expect(code.payload).toBe(payload);
    }),
  );
});

test.each([
  ['top_k', 'topK'],
  ['addr_version', 'addrVersion'],
  ['intent', 'intent'],
  ['x_1y', 'x1y'],
])('%s is %s in code', (wire, code) => {
  expect(camelKey(wire)).toBe(code);
});
