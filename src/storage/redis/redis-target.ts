import { ReachError } from '../../errors.js';

/** Where a Redis is, and under which prefix of it our keys lie. */
export interface RedisTarget {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  /** The server; or the sentinels; or some nodes of the cluster. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** The name by which the sentinels know the server. */
  readonly master: string | undefined;
  readonly prefix: string;
}

/** What is to stand in REACH_STORE, in words that complete "expected ...". */
const REDIS_URL_FORM =
  'redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?prefix=NAME], rediss:// with TLS, redis+sentinel://HOST,HOST/MASTER[/DATABASE] or redis+cluster://HOST,HOST';

const FORM =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<username>[^:@/]*):(?<password>[^@/]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/;
const HOST = /^(?<host>\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(?<port>\d{1,5}))?$/i;
const PREFIX = /^[A-Za-z0-9._-]{1,64}$/;
const USUAL_PORTS = { single: 6379, sentinel: 26379, cluster: 6379 };

/** Reads the URL of a Redis; undefined where it is none. */
function redisTargetOf(url: string): RedisTarget | undefined {
  const parts = FORM.exec(url)?.groups;
  if (parts === undefined) return undefined;
  const kind = (parts.kind ?? 'single') as RedisTarget['kind'];
  const hosts = (parts.hosts ?? '').split(',').map((text) => hostOf(text, USUAL_PORTS[kind]));
  const path = (parts.path ?? '').split('/').filter((part) => part !== '');
  const master = kind === 'sentinel' ? path.shift() : undefined;
  const database = databaseOf(path);
  const query = new URLSearchParams(parts.query ?? '');
  const prefix = query.get('prefix') ?? 'reach';
  const isUsable =
    database !== undefined &&
    hosts.every((host) => host !== undefined) &&
    (kind !== 'single' || hosts.length === 1) &&
    (kind !== 'sentinel' || master !== undefined) &&
    (kind !== 'cluster' || database === 0) &&
    [...query.keys()].every((name) => name === 'prefix') &&
    PREFIX.test(prefix);
  if (!isUsable) return undefined;
  try {
    return {
      kind,
      hosts: hosts.filter((host) => host !== undefined),
      tls: parts.tls === 's',
      username: decoded(parts.username),
      password: decoded(parts.password),
      database,
      master,
      prefix,
    };
  } catch {
    // A percent sign that begins nothing.
    return undefined;
  }
}

/** @throws ReachError CONFIG_INVALID, without the URL, which may hold a password */
export function parseRedisTarget(url: string): RedisTarget {
  const target = redisTargetOf(url);
  if (target !== undefined) return target;
  throw new ReachError('CONFIG_INVALID', `The store's URL cannot be read: expected ${REDIS_URL_FORM}.`);
}

/** For people: where it is, without a password. */
export function shownTarget({ kind, hosts, master, database, prefix }: RedisTarget): string {
  const places = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  const which = { single: '', sentinel: ` (${master}, by its sentinels)`, cluster: ' (cluster)' }[kind];
  return `${places}${database === 0 ? '' : `/${database}`}${which}, prefix ${prefix}`;
}

function hostOf(text: string, usualPort: number): RedisTarget['hosts'][number] | undefined {
  const { host, port } = HOST.exec(text)?.groups ?? {};
  if (host === undefined) return undefined;
  const number = port === undefined ? usualPort : Number(port);
  return number >= 1 && number <= 65_535 ? { host: host.replace(/^\[|\]$/g, ''), port: number } : undefined;
}

function databaseOf(path: readonly string[]): number | undefined {
  if (path.length === 0) return 0;
  return path.length === 1 && /^\d{1,4}$/.test(path[0] ?? '') ? Number(path[0]) : undefined;
}

/** What is empty was not given. */
function decoded(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : decodeURIComponent(text);
}
