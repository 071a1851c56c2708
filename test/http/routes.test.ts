import { channel } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { SCOPES } from '../../src/access/scopes.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { ROUTES } from '../../src/http/routes.js';
import { WorkGate } from '../../src/http/work-gate.js';
import { standInReach } from '../support/stand-in-reach.js';

/** Every route that fastify really serves, seen as it is added. */
async function servedRoutes(): Promise<RouteOptions[]> {
  const routes: RouteOptions[] = [];
  const watch = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => {
      routes.push(route);
    });
  };
  channel('fastify.initialization').subscribe(watch);
  try {
    const app = await createHttpApp(standInReach(), new WorkGate(), pino({ level: 'silent' }));
    await app.close();
  } finally {
    channel('fastify.initialization').unsubscribe(watch);
  }
  return routes;
}

const BODILESS_POSTS = new Set(['republishManifest', 'drainInstance', 'cancelRequest']);

const isDocs = ({ url }: RouteOptions) => url === '/docs' || url.startsWith('/docs/');

test('every served route stands in the table, with its limit, schemas and scope', async () => {
  const served = (await servedRoutes()).filter((route) => !isDocs(route));
  expect(served.length).toBeGreaterThanOrEqual(ROUTES.length);
  for (const route of served) {
    const method = route.method === 'HEAD' ? 'GET' : route.method;
    const line = ROUTES.find((entry) => entry.method === method && entry.url === route.url);
    expect(line, `${String(route.method)} ${route.url}`).toBeDefined();
    expect(route.bodyLimit).toBe(line?.bodyLimit);
    expect(route.schema?.response).toBeDefined();
    expect(route.schema?.body).toBe(line?.schema.body);
    expect(route.schema?.params).toBe(line?.schema.params);
  }
});

test('the table says everything of each call', () => {
  for (const route of ROUTES) {
    expect([...SCOPES, 'public']).toContain(route.scope);
    expect(route.bodyLimit).toBeGreaterThan(0);
    expect(route.bodyDepth).toBeGreaterThan(0);
    expect(route.summary).toMatch(/\.$/);
    expect(Object.keys(route.schema.response)).toContain('200');
    expect(route.schema.params !== undefined).toBe(route.url.includes(':'));
    const hasBody = ['POST', 'PUT'].includes(route.method) && !BODILESS_POSTS.has(route.operationId);
    expect(route.schema.body !== undefined).toBe(hasBody);
  }
  const ids = ROUTES.map((route) => route.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('only what watches the process is public, and the answer of an agent, which its token lets in', () => {
  const open = ROUTES.filter((route) => route.scope === 'public').map((route) => route.url);
  expect(open).toEqual(['/api/v1/requests/:id/reply', '/healthz', '/readyz']);
});
