import { writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentCall } from '../../src/transport/agent-transport.js';
import { CallLog, callOf, newTransport } from '../support/agent-call.js';
import { HandClock } from '../support/hand-clock.js';
import { httpServer, rawServer } from '../support/local-servers.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const SECRET = 's3cret-of-ours';

beforeEach(() => {
  vi.stubEnv('AGENT_TOKEN', SECRET);
  vi.stubEnv('CLIENT_ID', 'reach:agents');
  vi.stubEnv('CLIENT_SECRET', SECRET);
  return () => vi.unstubAllEnvs();
});

/** An agent that keeps the logins that it was shown, and answers each with a status. */
async function guardedAgent(statusFor: (login: string | undefined) => number = () => 200) {
  const logins: (string | undefined)[] = [];
  const paths: (string | undefined)[] = [];
  const server = await httpServer((request, response) => {
    const login = request.headers.authorization;
    logins.push(login);
    paths.push(request.url);
    const body = {
      result: 1,
      detail: `you said ${login}`,
      errors: [{ pointer: `/${login}`, received: login }],
    };
    response.writeHead(statusFor(login), { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return { url: server.url, logins, paths };
}

interface TokenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A token endpoint that gives out token-1, token-2 and so on, or what it is told to answer. */
async function tokenEndpoint(
  answer?: (response: ServerResponse, count: number) => void,
  expiresIn: unknown = 3_600,
) {
  const requests: TokenRequest[] = [];
  const server = await httpServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push({ headers: request.headers, body });
      if (answer !== undefined) return answer(response, requests.length);
      const token = { access_token: `token-${requests.length}`, token_type: 'Bearer', expires_in: expiresIn };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
    });
  });
  const url = new URL('/token', server.url);
  return { url, host: url.host, requests };
}

function oauth(tokenUrl: URL, scope?: string): Pick<AgentCall, 'auth'> {
  return {
    auth: {
      type: 'oauth2_client_credentials',
      tokenUrl: String(tokenUrl),
      clientIdRef: 'env:CLIENT_ID',
      clientSecretRef: 'env:CLIENT_SECRET',
      ...(scope !== undefined && { scope }),
    },
  };
}

const bearer: Pick<AgentCall, 'auth'> = { auth: { type: 'bearer', secretRef: 'env:AGENT_TOKEN' } };

describe('an agent that wants a bearer token', () => {
  it('is shown the secret behind the reference, at a call and at a cancel', async () => {
    const agent = await guardedAgent();
    const transport = newTransport();
    expect(await transport.call(callOf(agent.url, bearer), new CallLog())).toMatchObject({
      kind: 'completed',
    });
    await transport.cancel(callOf(agent.url, bearer));
    expect(agent.logins).toEqual([`Bearer ${SECRET}`, `Bearer ${SECRET}`]);
    expect(agent.paths).toEqual(['/execute', '/cancel']);
  });

  it('is shown the new secret once its file has changed', async () => {
    const agent = await guardedAgent();
    const path = join(await temporaryFolder(), 'token');
    const transport = newTransport();
    for (const secret of ['first', 'second']) {
      await writeFile(path, `${secret}\n`);
      await transport.call(
        callOf(agent.url, { auth: { type: 'bearer', secretRef: `file:${path}` } }),
        new CallLog(),
      );
    }
    expect(agent.logins).toEqual(['Bearer first', 'Bearer second']);
  });

  it('is sent nothing where there is no secret', async () => {
    const agent = await guardedAgent();
    const auth = { type: 'bearer', secretRef: 'env:NOT_SET_ANYWHERE' } as const;
    expect(await newTransport().call(callOf(agent.url, { auth }), new CallLog())).toMatchObject({
      kind: 'failed',
      code: 'AGENT_NEEDS_AUTH',
      mayHaveExecuted: false,
      detail: expect.stringContaining('env:NOT_SET_ANYWHERE is not set'),
    });
    expect(agent.logins).toHaveLength(0);
  });

  it('and refuses it is not asked again', async () => {
    const agent = await guardedAgent(() => 401);
    const answer = await newTransport().call(callOf(agent.url, bearer), new CallLog());
    expect(answer).toMatchObject({ code: 'AGENT_NEEDS_AUTH', mayHaveExecuted: false });
    expect(agent.logins).toHaveLength(1);
  });

  it.each([401, 403, 422, 429, 500])(
    'and repeats it in its complaint (%i) does not give it away',
    async (status) => {
      const agent = await guardedAgent(() => status);
      const answer = await newTransport().call(callOf(agent.url, bearer), new CallLog());
      expect(JSON.stringify(answer)).toContain('you said Bearer ***');
      expect(JSON.stringify(answer)).not.toContain(SECRET);
    },
  );
});

describe('an agent that wants a token of OAuth 2', () => {
  it('is shown one, asked for with the id and secret of the client', async () => {
    const [agent, endpoint] = [await guardedAgent(), await tokenEndpoint()];
    const transport = newTransport({ allowedHosts: [endpoint.host] });
    const call = callOf(agent.url, oauth(endpoint.url, 'agents.call x y'));
    for (let i = 0; i < 3; i += 1) {
      expect(await transport.call(call, new CallLog())).toMatchObject({ kind: 'completed' });
    }
    expect(agent.logins).toEqual(Array(3).fill('Bearer token-1'));
    expect(endpoint.requests).toHaveLength(1);
    expect(endpoint.requests[0]?.body).toBe('grant_type=client_credentials&scope=agents.call+x+y');
    expect(endpoint.requests[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`reach%3Aagents:${SECRET}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    });
  });

  it('shares one request for it among all calls that wait', async () => {
    const [agent, endpoint] = [await guardedAgent(), await tokenEndpoint()];
    const transport = newTransport({ allowedHosts: [endpoint.host] });
    const call = callOf(agent.url, oauth(endpoint.url));
    await Promise.all(Array.from({ length: 50 }, () => transport.call(call, new CallLog())));
    expect(agent.logins).toEqual(Array(50).fill('Bearer token-1'));
    expect(endpoint.requests).toHaveLength(1);
  });

  it.each([
    [3_600, 3_539_000, 2_000],
    ['100', 89_000, 2_000],
    [null, 269_000, 2_000],
  ])('gets it renewed ahead, one of %j s', async (expiresIn, freshMs, laterMs) => {
    const clock = new HandClock();
    const [agent, endpoint] = [await guardedAgent(), await tokenEndpoint(undefined, expiresIn)];
    const transport = newTransport({ allowedHosts: [endpoint.host], clock });
    const call = callOf(agent.url, oauth(endpoint.url));
    await transport.call(call, new CallLog());
    clock.pass(freshMs);
    await transport.call(call, new CallLog());
    expect(endpoint.requests).toHaveLength(1);
    clock.pass(laterMs);
    // Nobody waits for the renewal: the old token still serves.
    await transport.call(call, new CallLog());
    expect(agent.logins).toEqual(Array(3).fill('Bearer token-1'));
    await until(() => endpoint.requests.length === 2);
    await until(async () => {
      await transport.call(call, new CallLog());
      return agent.logins.at(-1) === 'Bearer token-2';
    });
    expect(endpoint.requests).toHaveLength(2);
  });

  it('keeps the old one while a renewal fails, and does not ask all the time', async () => {
    const clock = new HandClock();
    const agent = await guardedAgent();
    const endpoint = await tokenEndpoint((response, count) => {
      if (count > 1) response.writeHead(503).end();
      else response.end('{"access_token":"token-1","expires_in":100}');
    });
    const transport = newTransport({ allowedHosts: [endpoint.host], clock });
    const call = callOf(agent.url, oauth(endpoint.url));
    await transport.call(call, new CallLog());
    clock.pass(91_000);
    for (let i = 0; i < 10; i += 1) await transport.call(call, new CallLog());
    await until(() => endpoint.requests.length === 2);
    for (let i = 0; i < 10; i += 1) await transport.call(call, new CallLog());
    expect(agent.logins).toEqual(Array(21).fill('Bearer token-1'));
    expect(endpoint.requests.length).toBeLessThanOrEqual(3);
    clock.pass(10_000);
    expect(await transport.call(call, new CallLog())).toMatchObject({ code: 'AGENT_NEEDS_AUTH' });
  });

  it('and refuses one is shown a new one, once', async () => {
    const agent = await guardedAgent((login) => (login === 'Bearer token-1' ? 401 : 200));
    const endpoint = await tokenEndpoint();
    const transport = newTransport({ allowedHosts: [endpoint.host] });
    const call = callOf(agent.url, oauth(endpoint.url));
    expect(await transport.call(call, new CallLog())).toMatchObject({ kind: 'completed' });
    expect(agent.logins).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('and refuses every one gets two for a call, and no more', async () => {
    const agent = await guardedAgent(() => 401);
    const endpoint = await tokenEndpoint();
    const transport = newTransport({ allowedHosts: [endpoint.host] });
    const answer = await transport.call(callOf(agent.url, oauth(endpoint.url)), new CallLog());
    expect(answer).toMatchObject({ code: 'AGENT_NEEDS_AUTH', mayHaveExecuted: false });
    expect(agent.logins).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(JSON.stringify(answer)).not.toContain('token-2');
  });
});

describe('a token that cannot be had', () => {
  it.each<[string, (response: ServerResponse) => void, string]>([
    ['a refusal', (r) => r.writeHead(401).end('{"error":"invalid_client"}'), 'status 401: invalid_client'],
    ['a refusal in other words', (r) => r.writeHead(400).end(`{"error":"${SECRET}"}`), 'status 400'],
    ['HTML', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${SECRET}</h1>`), 'not JSON'],
    ['a redirect', (r) => r.writeHead(302, { location: 'http://169.254.169.254/' }).end(), 'status 302'],
    ['no token', (r) => r.end('{"token":"x"}'), 'without an access_token'],
    [
      'a token that fits no header',
      (r) => r.end('{"access_token":"a\\r\\nx: y"}'),
      'without an access_token',
    ],
    [
      'a token of another kind',
      (r) => r.end('{"access_token":"x","token_type":"mac"}'),
      'no tokens of type Bearer',
    ],
    ['an answer of 1 MB', (r) => r.end(Buffer.alloc(1_048_576, 0x20)), 'larger than 65536 bytes'],
  ])('because of %s: nothing is sent, and no secret told', async (_, answer, words) => {
    const [agent, endpoint] = [await guardedAgent(), await tokenEndpoint(answer)];
    const transport = newTransport({ allowedHosts: [endpoint.host] });
    const said = await transport.call(callOf(agent.url, oauth(endpoint.url)), new CallLog());
    expect(said).toMatchObject({
      kind: 'failed',
      code: 'AGENT_NEEDS_AUTH',
      mayHaveExecuted: false,
      detail: expect.stringContaining(words),
    });
    expect(JSON.stringify(said)).not.toContain(SECRET);
    expect(agent.logins).toHaveLength(0);
  });

  it('because its endpoint never answers: within the time of the call, and by its signal', async () => {
    const agent = await guardedAgent();
    const endpoint = await rawServer(() => {});
    const transport = newTransport({ allowedHosts: [endpoint.url.host] });
    const slow = callOf(agent.url, { ...oauth(endpoint.url), timeoutMs: 200 });
    expect(await transport.call(slow, new CallLog())).toMatchObject({
      code: 'AGENT_NEEDS_AUTH',
      mayHaveExecuted: false,
    });
    const cancel = new AbortController();
    const waiting = transport.call(
      callOf(agent.url, { ...oauth(endpoint.url), signal: cancel.signal }),
      new CallLog(),
    );
    cancel.abort();
    expect(await waiting).toEqual({ kind: 'cancelled' });
    expect(agent.logins).toHaveLength(0);
    await endpoint.stop();
  });

  it('because its host is not allowed', async () => {
    const [agent, endpoint] = [await guardedAgent(), await tokenEndpoint()];
    const transport = newTransport({ allowedHosts: ['elsewhere.example'] });
    expect(await transport.call(callOf(agent.url, oauth(endpoint.url)), new CallLog())).toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      mayHaveExecuted: false,
    });
    expect(endpoint.requests).toHaveLength(0);
    expect(agent.logins).toHaveLength(0);
  });
});
