import { parsedUrl } from './parsed-url.js';

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What one instance takes of a lane at once, and how many wait for it in the queue of its agent and lane. */
export interface LaneSize {
  readonly slots: number;
  readonly queue: number;
}
export type LaneSizes = Readonly<Record<'P0' | 'P1' | 'P2', LaneSize>>;

export const WEBHOOK_KINDS = ['slack', 'feishu', 'dingtalk', 'json'] as const;
export interface TicketWebhook {
  readonly kind: (typeof WEBHOOK_KINDS)[number];
  readonly url: string;
  /** `env:NAME` or `file:PATH` of the secret of a Feishu or DingTalk robot. */
  readonly secretRef?: string;
}

/** One thing that a user may set: as an option of the library, and as a text in the environment or behind a flag. */
interface Setting<Value> {
  readonly variable: `REACH_${string}`;
  readonly byDefault: Value;
  /** What is wanted, in words that complete "expected ...". */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
  /** What a text means; undefined where it makes no sense. A setting without it is that text. */
  readonly ofText?: (text: string) => unknown;
  /** A wrong value of it is not repeated: it may be the secret itself. */
  readonly namesSecret?: true;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isWhole = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
const isSecretRef = (value: unknown) =>
  typeof value === 'string' && /^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/.test(value);

const numberOf = (text: string) =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
const listOf = (text: string) => text.split(',').map((part) => part.trim());

type Shape<Value> = Omit<Setting<Value>, 'variable' | 'byDefault'>;

const text: Shape<string> = { expected: 'a non-empty string', holds: isText };
const textOrNull: Shape<string | null> = {
  expected: 'a non-empty string or null',
  holds: (value) => value === null || isText(value),
};
const trueOrFalse: Shape<boolean> = {
  expected: 'true or false',
  holds: (value) => typeof value === 'boolean',
  ofText: (word) => ({ true: true, false: false })[word],
};

const LANE_NAMES = ['P0', 'P1', 'P2'];
const laneSizes: Shape<LaneSizes> = {
  expected: 'P0=SLOTS/QUEUE,P1=..,P2=.., each from 1 to 100,000',
  holds: (value) =>
    isObject(value) &&
    Object.keys(value).sort().join() === LANE_NAMES.join() &&
    Object.values(value).every(
      (size) => isObject(size) && isWhole(size.slots, 1, 100_000) && isWhole(size.queue, 1, 100_000),
    ),
  ofText(sizes) {
    const entries = listOf(sizes).map((part) => /^(P[012])=(\d+)\/(\d+)$/.exec(part) ?? []);
    return Object.fromEntries(
      entries.map(([, lane, slots, queue]) => [lane, { slots: Number(slots), queue: Number(queue) }]),
    );
  },
};

const hosts: Shape<readonly string[]> = {
  expected: 'hosts as example.com, *.example.com or example.com:8443, with commas between',
  holds: (value) =>
    Array.isArray(value) &&
    value.every((host) => isText(host) && /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s/:@*]+)(:\d{1,5})?$/i.test(host)),
  ofText: listOf,
};

const ticketWebhooks: Shape<readonly TicketWebhook[]> = {
  expected: `KIND=URL, ${WEBHOOK_KINDS.join(', ')}, with commas between; for feishu and dingtalk ;env:NAME or ;file:PATH may follow`,
  holds: (value) =>
    Array.isArray(value) &&
    value.every(
      (webhook) =>
        isObject(webhook) &&
        (WEBHOOK_KINDS as readonly unknown[]).includes(webhook.kind) &&
        isText(webhook.url) &&
        parsedUrl(webhook.url) !== undefined &&
        (webhook.secretRef === undefined || isSecretRef(webhook.secretRef)),
    ),
  ofText: (webhooks) =>
    listOf(webhooks).map((part) => {
      const [, kind, url, secretRef] = /^([a-z]+)=([^;]+)(?:;(.+))?$/.exec(part) ?? [];
      return { kind, url, ...(secretRef !== undefined && { secretRef }) };
    }),
};

const setting = <Value>(
  variable: Setting<Value>['variable'],
  byDefault: Value,
  shape: Shape<Value>,
): Setting<Value> => ({ variable, byDefault, ...shape });

/** Everything that can be set. The types of ReachOptions say what each of them does. */
export const SETTINGS = Object.freeze({
  manifests: setting<string | null>('REACH_MANIFESTS', null, textOrNull),
  routes: setting<string | null>('REACH_ROUTES', null, textOrNull),
  data: setting<string | null>('REACH_DATA', null, textOrNull),
  store: setting<string | null>('REACH_STORE', null, {
    expected:
      'redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?prefix=NAME] (rediss:// with TLS; redis+sentinel://HOST,HOST/MASTER; redis+cluster://HOST,HOST), or null',
    holds: (value) =>
      value === null || (isText(value) && /^rediss?(\+sentinel|\+cluster)?:\/\/./.test(value)),
    namesSecret: true,
  }),
  model: setting('REACH_MODEL', 'multilingual-e5-small', text),
  englishModel: setting('REACH_ENGLISH_MODEL', true, trueOrFalse),
  weights: setting<string | null>('REACH_WEIGHTS', null, textOrNull),
  fallbackAgent: setting<string | null>('REACH_FALLBACK_AGENT', null, textOrNull),
  threshold: setting<number | null>('REACH_THRESHOLD', null, {
    expected: 'a number from 0 to 1, or null',
    holds: (value) => value === null || (typeof value === 'number' && value >= 0 && value <= 1),
    ofText: numberOf,
  }),
  strictCompat: setting('REACH_STRICT_COMPAT', false, trueOrFalse),
  host: setting('REACH_HOST', '127.0.0.1', text),
  port: setting('REACH_PORT', 8080, {
    expected: 'a whole number from 0 to 65535',
    holds: (value) => isWhole(value, 0, 65_535),
    ofText: numberOf,
  }),
  publicUrl: setting<string | null>('REACH_PUBLIC_URL', null, {
    expected: 'an http or https URL, or null',
    holds: (value) =>
      value === null || (isText(value) && parsedUrl(value) !== undefined && /^https?:/i.test(value)),
  }),
  probes: setting('REACH_PROBES', true, trueOrFalse),
  lanes: setting<LaneSizes>(
    'REACH_LANES',
    Object.freeze({
      P0: Object.freeze({ slots: 10, queue: 100 }),
      P1: Object.freeze({ slots: 6, queue: 1_000 }),
      P2: Object.freeze({ slots: 3, queue: 5_000 }),
    }),
    laneSizes,
  ),
  allowedHosts: setting<readonly string[]>('REACH_ALLOWED_HOSTS', Object.freeze([]), hosts),
  webhookSecret: setting<string | null>('REACH_WEBHOOK_SECRET', null, {
    expected: 'env:NAME, file:PATH, or null',
    holds: (value) => value === null || isSecretRef(value),
    namesSecret: true,
  }),
  tickets: setting('REACH_TICKETS', true, trueOrFalse),
  ticketWebhooks: setting<readonly TicketWebhook[]>(
    'REACH_TICKET_WEBHOOKS',
    Object.freeze([]),
    ticketWebhooks,
  ),
  logLevel: setting<LogLevel>('REACH_LOG_LEVEL', 'warn', {
    expected: `one of ${LOG_LEVELS.join(', ')}`,
    holds: (value) => (LOG_LEVELS as readonly unknown[]).includes(value),
  }),
});

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
