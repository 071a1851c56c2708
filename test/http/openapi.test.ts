import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ERRORS } from '../../src/errors.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { ROUTES } from '../../src/http/routes.js';
import { WorkGate } from '../../src/http/work-gate.js';
import { standInReach } from '../support/stand-in-reach.js';

type Json = Record<string, unknown>;

async function fetched(url: string) {
  const app = await createHttpApp(standInReach(), new WorkGate(), pino({ level: 'silent' }));
  try {
    return await app.inject(url);
  } finally {
    await app.close();
  }
}

function* nodesOf(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

const document: Json = (await fetched('/docs/json')).json();
const paths = document.paths as Record<string, Record<string, Json>>;

test('it is OpenAPI 3.1 without what only 3.0 knew', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d$/);
  expect(document.info).toMatchObject({ title: 'Agent-Reach', version: '0.1.0' });
  for (const node of nodesOf(document)) {
    expect(node).not.toHaveProperty('nullable');
    expect(typeof node.exclusiveMinimum).not.toBe('boolean');
    if (typeof node.$ref === 'string') expect.fail(`a reference to nowhere: ${node.$ref}`);
  }
});

test('it describes every call of the table and nothing else', () => {
  const described = Object.entries(paths).flatMap(([path, calls]) =>
    Object.keys(calls).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = ROUTES.map(({ method, url }) => `${method} ${url.replace(/:([a-z_]+)/g, '{$1}')}`);
  expect(described.sort()).toEqual(served.sort());
});

test('every call has a summary, a tag, a scope, its parameters and its problems', () => {
  for (const [path, calls] of Object.entries(paths)) {
    for (const [method, call] of Object.entries(calls)) {
      expect(call).toMatchObject({
        summary: expect.stringMatching(/\.$/),
        tags: [expect.any(String)],
        operationId: expect.any(String),
        'x-scope': expect.any(String),
      });
      const parameters = (call.parameters ?? []) as Json[];
      const inPath = parameters.filter((p) => p.in === 'path').map((p) => `{${String(p.name)}}`);
      expect(inPath).toEqual(path.match(/\{[a-z_]+\}/g) ?? []);
      const responses = call.responses as Record<string, { description: string; content: Json }>;
      const route = ROUTES.find(({ operationId }) => operationId === call.operationId);
      const events = route?.schema.response[200]?.events === undefined ? [] : ['text/event-stream'];
      const types = [...(route?.streams ?? ['application/json']), ...events];
      expect(Object.keys(responses['200']?.content ?? {})).toEqual(types);
      expect(responses['500']?.content).toHaveProperty('application/problem+json');
      expect(responses['503']?.description).toContain(ERRORS.CLOSED.title);
      if (['republishManifest', 'drainInstance', 'cancelRequest'].includes(call.operationId as string)) {
        expect(call).not.toHaveProperty('requestBody');
      } else if (method === 'post' || method === 'put') {
        expect(call.requestBody).toHaveProperty('content.application/json.schema.type', 'object');
        for (const status of ['400', '413', '415', '422']) expect(responses).toHaveProperty(status);
      }
    }
  }
});

test.each([
  ['put', '/api/v1/agents/{name}/manifest', ['OVERLOADED', 'NOT_READY'], ['ADDRESS_FORBIDDEN']],
  ['post', '/api/v1/requests/{id}/cancel', ['REQUEST_ENDED', 'BODY_TOO_LARGE', 'INVALID_REQUEST'], []],
  ['delete', '/api/v1/agents/{name}', ['NOT_READY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'], []],
])('%s %s names the problems that can come, and no other', (method, path, named, unnamed) => {
  const responses = paths[path]?.[method]?.responses ?? {};
  const said = JSON.stringify(responses);
  for (const code of named) expect(said).toContain(`\`${code}\``);
  for (const code of unnamed) expect(said).not.toContain(code);
});

test('a dispatch is shown in its three forms, with the headers that choose among them', () => {
  const { parameters, responses } = (paths['/api/v1/dispatch']?.post ?? {}) as {
    parameters: Json[];
    responses: Record<string, { content: Json }>;
  };
  expect(parameters.map(({ in: place, name, required }) => [place, name, required])).toEqual([
    ['header', 'prefer', false],
    ['header', 'idempotency-key', false],
  ]);
  for (const status of ['200', '202']) {
    expect(Object.keys(responses[status]?.content ?? {})).toEqual(['application/json', 'text/event-stream']);
  }
});

test.each([
  ['post', '/api/v1/dispatch', '202', ['location', 'preference-applied', 'x-reach-degraded']],
  ['post', '/api/v1/dispatch', '200', ['content-location', 'x-reach-degraded']],
  ['post', '/api/v1/route', '200', ['x-reach-degraded']],
  ['post', '/api/v1/batch', '200', ['x-reach-degraded']],
  ['post', '/reach/invoke', '200', ['x-reach-degraded']],
  ['get', '/api/v1/sessions/{id}', '200', ['etag']],
])('%s %s shows the headers of its %s', (method, path, status, names) => {
  const responses = paths[path]?.[method]?.responses as Record<string, { headers: Json }>;
  expect(Object.keys(responses[status]?.headers ?? {})).toEqual(names);
  for (const header of Object.values(responses[status]?.headers ?? {})) {
    expect(header).toMatchObject({ schema: { type: 'string' } });
  }
});

test('answers that may be null say so in the way of 3.1', () => {
  const route = JSON.stringify(paths['/api/v1/route']);
  expect(route).toContain('"target_agent":{"anyOf":[{"type":"string"},{"type":"null"}]}');
});

test('the page for people is served, and asks nobody else', async () => {
  expect((await fetched('/docs')).body).toContain('<title>');
  const script = await fetched('/docs/static/swagger-initializer.js');
  expect(script.body).toContain('"validatorUrl":"none"');
});
