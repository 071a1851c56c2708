import type * as kit from 'agent-reach-sdk';
import type { TSchema } from 'typebox';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { fromWire, toWire } from '../../sdk/src/wire/codec.js';
import type { ManifestDocument } from '../../src/manifest/schema.js';
import type { BatchAnswer } from '../../src/wire/batch.js';
import {
  type DispatchAnswer,
  DispatchAnswerSchema,
  type DispatchRequest,
  DispatchRequestSchema,
  dispatchAnswerCodec,
  dispatchRequestCodec,
} from '../../src/wire/dispatch.js';
import {
  type Change,
  ChangeSchema,
  changeCodec,
  type WatchedDecision,
  WatchedDecisionSchema,
  watchedDecisionCodec,
} from '../../src/wire/live.js';
import { type OutcomeReport, OutcomeReportSchema, outcomeReportCodec } from '../../src/wire/records.js';
import {
  type RequestEvent,
  type RequestStatus,
  RequestStatusSchema,
  requestStatusCodec,
} from '../../src/wire/requests.js';
import {
  type Decision,
  DecisionSchema,
  decisionCodec,
  type RouteRequest,
  RouteRequestSchema,
  routeRequestCodec,
} from '../../src/wire/route.js';
import type { Session } from '../../src/wire/sessions.js';

/** The kit's types are read-only at every depth, those of the schemas are not. */
type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

interface Node {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly enum?: readonly unknown[];
}

/** A value that has everything that a schema knows; names in what is open look like those of the wire. */
function fullest(node: Node): unknown {
  if (node.enum !== undefined) return node.enum[0];
  if (node.anyOf?.[0] !== undefined) return fullest(node.anyOf[0]);
  if (node.properties !== undefined) {
    return Object.fromEntries(Object.entries(node.properties).map(([name, child]) => [name, fullest(child)]));
  }
  if (node.items !== undefined) return [fullest(node.items)];
  if (node.patternProperties !== undefined) return { some_name: 1, someName: { inner_name: 2 } };
  return (
    { string: 'text_of_it', number: 0.5, integer: 1, boolean: true }[node.type ?? ''] ?? { open_name: 1 }
  );
}

const fullestOf = (schema: TSchema) => fullest(schema as Node);

describe('the types of the kit are those of the schemas', () => {
  test.each([
    ['a route request', RouteRequestSchema, routeRequestCodec],
    ['a decision', DecisionSchema, decisionCodec],
    ['a dispatch request', DispatchRequestSchema, dispatchRequestCodec],
    ['a dispatch answer', DispatchAnswerSchema, dispatchAnswerCodec],
    ['a request as it stands', RequestStatusSchema, requestStatusCodec],
    ['a change', ChangeSchema, changeCodec],
    ['a watched decision', WatchedDecisionSchema, watchedDecisionCodec],
    ['a report of an outcome', OutcomeReportSchema, outcomeReportCodec],
  ])('and %s is renamed by both alike, both ways', (_, schema, codec) => {
    const wire = fullestOf(schema);
    const code = codec.decode(wire as never);
    expect(JSON.stringify(wire)).toContain('_');
    expect(fromWire(wire)).toEqual(code);
    expect(toWire(code)).toEqual(wire);
  });

  test('at every depth, which the compiler checks', () => {
    expectTypeOf<Writable<kit.RouteRequest>>().toEqualTypeOf<Writable<RouteRequest>>();
    expectTypeOf<Writable<kit.Decision>>().toEqualTypeOf<Writable<Decision>>();
    expectTypeOf<Writable<kit.DispatchRequest>>().toEqualTypeOf<Writable<DispatchRequest>>();
    expectTypeOf<Writable<kit.DispatchAnswer>>().toEqualTypeOf<Writable<DispatchAnswer>>();
    expectTypeOf<Writable<kit.BatchAnswer>>().toEqualTypeOf<Writable<BatchAnswer>>();
    expectTypeOf<Writable<kit.Session>>().toEqualTypeOf<Writable<Session>>();
    expectTypeOf<Writable<kit.RequestStatus>>().toEqualTypeOf<Writable<RequestStatus>>();
    expectTypeOf<Writable<kit.RequestEvent>>().toEqualTypeOf<Writable<RequestEvent>>();
    expectTypeOf<Writable<kit.Change>>().toEqualTypeOf<Writable<Change>>();
    expectTypeOf<Writable<kit.WatchedDecision>>().toEqualTypeOf<Writable<WatchedDecision>>();
    expectTypeOf<Writable<kit.OutcomeReport>>().toEqualTypeOf<Writable<OutcomeReport>>();
    expectTypeOf<Writable<kit.ManifestDocument>>().toEqualTypeOf<Writable<ManifestDocument>>();
  });
});
