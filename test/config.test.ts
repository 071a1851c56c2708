import { isAbsolute } from 'node:path';
import { describe, expect, test } from 'vitest';
import { optionsFromEnvironment, type ReachOptions, resolveConfig } from '../src/config.js';
import { ReachError } from '../src/errors.js';

describe('resolveConfig', () => {
  test('fills in every default, makes paths absolute, and freezes', () => {
    const config = resolveConfig({ data: 'some/folder', weights: 'some/weights.json' });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      model: 'multilingual-e5-small',
      englishModel: true,
      manifests: null,
    });
    expect(isAbsolute(config.data ?? '')).toBe(true);
    expect(isAbsolute(config.weights ?? '')).toBe(true);
    expect(Object.isFrozen(config)).toBe(true);
  });

  test.each([
    ['port', 70_000],
    ['port', '8080'],
    ['threshold', 1.01],
    ['threshold', Number.NaN],
    ['host', ' '],
    ['logLevel', 'loud'],
    ['manifests', 3],
    ['strictCompat', 'true'],
    ['englishModel', 1],
    ['publicUrl', 'reach.example.com'],
    ['lanes', { P0: { slots: 1, queue: 1 } }],
    ['lanes', { P0: { slots: 0, queue: 1 }, P1: { slots: 1, queue: 1 }, P2: { slots: 1, queue: 1 } }],
    ['allowedHosts', ['https://example.com']],
    ['allowedHosts', ['*']],
    ['webhookSecret', 'hunter2'],
    ['ticketWebhooks', [{ kind: 'pager', url: 'https://example.com' }]],
    ['colour', 'red'],
  ])('refuses %s = %s and says where', (name, value) => {
    const resolve = () => resolveConfig({ [name]: value });
    expect(resolve).toThrow(ReachError);
    expect(resolve).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        errors: [expect.objectContaining({ pointer: `/${name}` })],
      }),
    );
  });

  test('a threshold of 0 is a value, undefined is none', () => {
    expect(resolveConfig({ threshold: 0 }).threshold).toBe(0);
    expect(resolveConfig({ port: undefined } as never).port).toBe(8080);
  });
});

test('rules are beside the manifests where nothing is said, and where they are named they must be there', () => {
  const rulesOf = (options: ReachOptions) => {
    const { routes, routesNamed } = resolveConfig(options);
    return [routes, routesNamed];
  };
  expect(rulesOf({})).toEqual([null, false]);
  expect(rulesOf({ manifests: '/srv/manifests' })).toEqual(['/srv/routes.yaml', false]);
  expect(rulesOf({ manifests: '/srv/manifests', routes: null })).toEqual([null, false]);
  expect(rulesOf({ manifests: '/srv/manifests', routes: '/etc/rules.json' })).toEqual([
    '/etc/rules.json',
    true,
  ]);
  expect(optionsFromEnvironment({ REACH_ROUTES: 'rules.yaml' })).toEqual({ routes: 'rules.yaml' });
});

test('environment variables are options, numbers become numbers, empty ones are not set', () => {
  const options = optionsFromEnvironment({
    REACH_PORT: '0',
    REACH_THRESHOLD: '0.5',
    REACH_MODEL: '',
    REACH_STRICT_COMPAT: 'true',
    REACH_ENGLISH_MODEL: 'false',
    REACH_HOST: 'h',
    OTHER: 'x',
  });
  expect(options).toEqual({ port: 0, threshold: 0.5, host: 'h', strictCompat: true, englishModel: false });
});

test('what is no number stays text, and is refused as such', () => {
  expect(() => resolveConfig(optionsFromEnvironment({ REACH_PORT: 'eighty' }))).toThrow(
    /port \(REACH_PORT\): expected a whole number/,
  );
  expect(() => resolveConfig(optionsFromEnvironment({ REACH_STRICT_COMPAT: 'yes' }))).toThrow(
    /strictCompat \(REACH_STRICT_COMPAT\): expected true or false, received the string "yes"/,
  );
  expect(optionsFromEnvironment({ REACH_STRICT_COMPAT: 'false' })).toEqual({ strictCompat: false });
});

test('a secret that stands where it should be named is not repeated', () => {
  const options = optionsFromEnvironment({ REACH_WEBHOOK_SECRET: 'whsec_c2VjcmV0' });
  expect(() => resolveConfig(options)).toThrow(
    'webhookSecret (REACH_WEBHOOK_SECRET): expected env:NAME, file:PATH, or null, received something else',
  );
});

test('lanes, hosts and webhooks are read from texts', () => {
  const options = optionsFromEnvironment({
    REACH_LANES: 'P0=10/100, P1=6/1000,P2=3/5000',
    REACH_ALLOWED_HOSTS: 'hooks.example.com,*.example.org:8443, [::1]:9000',
    REACH_TICKET_WEBHOOKS: 'slack=https://example.com/a?b=c,feishu=https://example.org/d;env:ROBOT',
  });
  expect(options).toEqual({
    lanes: {
      P0: { slots: 10, queue: 100 },
      P1: { slots: 6, queue: 1_000 },
      P2: { slots: 3, queue: 5_000 },
    },
    allowedHosts: ['hooks.example.com', '*.example.org:8443', '[::1]:9000'],
    ticketWebhooks: [
      { kind: 'slack', url: 'https://example.com/a?b=c' },
      { kind: 'feishu', url: 'https://example.org/d', secretRef: 'env:ROBOT' },
    ],
  });
  expect(() => resolveConfig(options)).not.toThrow();
  for (const broken of [{ REACH_LANES: 'P0=10' }, { REACH_TICKET_WEBHOOKS: 'slack' }]) {
    expect(() => resolveConfig(optionsFromEnvironment(broken))).toThrow(/expected/);
  }
});
