import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, type FieldError, ReachError, sentenceOf } from './errors.js';
import {
  type LaneSizes,
  type LogLevel,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type TicketWebhook,
} from './settings.js';

/** What a user may set; everything has a default. Environment variables and CLI flags have the same names. */
export interface ReachOptions {
  /** Folder of manifests to load and watch; null: none. REACH_MANIFESTS. */
  readonly manifests?: string | null;
  /** File of rules to read and follow; null: none. Where nothing is said, `routes.yaml` beside the folder of manifests. REACH_ROUTES. */
  readonly routes?: string | null;
  /** Folder for the store's file; null: keep everything in memory. REACH_DATA. */
  readonly data?: string | null;
  /** A Redis that several replicas share, in place of the files of `data`; null: those. REACH_STORE (redis://...). */
  readonly store?: string | null;
  /** A model folder: a name under the shipped `models/`, or a path. REACH_MODEL. */
  readonly model?: string;
  /** Whether English has a second model beside, where the first one's weights know one. REACH_ENGLISH_MODEL (true or false). */
  readonly englishModel?: boolean;
  /** A file of weights in place of the model's own; null: those. REACH_WEIGHTS. */
  readonly weights?: string | null;
  /** The agent that takes intents for which the confidence is too low; null: a human. REACH_FALLBACK_AGENT. */
  readonly fallbackAgent?: string | null;
  /** The least confidence to route on, 0..1, where neither request nor capability names one; null: the model's. REACH_THRESHOLD. */
  readonly threshold?: number | null;
  /** Refuse manifests that break callers of the version before. REACH_STRICT_COMPAT (true or false). */
  readonly strictCompat?: boolean;
  /** Where the HTTP door listens. REACH_HOST, REACH_PORT (0: any free port). */
  readonly host?: string;
  readonly port?: number;
  /** Whether instances are probed; else only calls and heartbeats tell how they are. REACH_PROBES (true or false). */
  readonly probes?: boolean;
  /** Where agents and callers reach the HTTP door, if not where it listens. REACH_PUBLIC_URL. */
  readonly publicUrl?: string | null;
  /** How many requests of a lane an instance takes at once, and how many wait. REACH_LANES (P0=10/100,P1=6/1000,P2=3/5000). */
  readonly lanes?: LaneSizes;
  /** Hosts that callbacks, webhooks and token requests may go to. REACH_ALLOWED_HOSTS (example.com,*.example.org:8443). */
  readonly allowedHosts?: readonly string[];
  /** With what callbacks and webhooks are signed: env:NAME or file:PATH. REACH_WEBHOOK_SECRET. */
  readonly webhookSecret?: string | null;
  /** Whether questions for a person are kept as tickets. REACH_TICKETS (true or false). */
  readonly tickets?: boolean;
  /** Who is told of tickets. REACH_TICKET_WEBHOOKS (slack=URL,feishu=URL;env:NAME). */
  readonly ticketWebhooks?: readonly TicketWebhook[];
  /** REACH_LOG_LEVEL. */
  readonly logLevel?: LogLevel;
}

/** The options with every default in place: the one configuration that all parts read. Frozen. */
export type ReachConfig = Readonly<Required<ReachOptions>> & {
  /** The folder in which `model` was looked for by name. */
  readonly modelsFolder: string;
  /** Whether somebody named `routes`: then there must be such a file. */
  readonly routesNamed: boolean;
};

/** The models that come with the package; the same place seen from `src/` and from `dist/`. */
const MODELS_FOLDER = fileURLToPath(new URL('../models/', import.meta.url));

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** What is wrong with one option; undefined where nothing is. */
function faultOf(name: string, value: unknown): FieldError | undefined {
  const pointer = `/${name}`;
  if (!isSettingName(name)) {
    return { pointer, expected: `one of ${SETTING_NAMES.join(', ')}`, received: name };
  }
  const { holds, expected, namesSecret } = SETTINGS[name];
  const received = namesSecret ? 'something else' : describe(value);
  return holds(value) ? undefined : { pointer, expected, received };
}

/** As the library knows an option, and as everybody else does. */
function nameOf(option: string): string {
  return isSettingName(option) ? `${option} (${SETTINGS[option].variable})` : option;
}

/**
 * Checks the options once and fills in the defaults.
 * @throws ReachError CONFIG_INVALID, with a pointer to each option that is unknown or wrong.
 */
export function resolveConfig(options: ReachOptions = {}): ReachConfig {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const errors = given.flatMap(([name, value]) => faultOf(name, value) ?? []);
  if (errors.length > 0) {
    const named = errors.map((error) => ({ ...error, pointer: nameOf(error.pointer.slice(1)) }));
    throw new ReachError('CONFIG_INVALID', sentenceOf(named), { errors });
  }
  const defaults = SETTING_NAMES.map((name) => [name, SETTINGS[name].byDefault]);
  const merged = Object.fromEntries([...defaults, ...given]) as Required<ReachOptions>;
  const absolute = (path: string | null) => (path === null ? null : resolve(path));
  const manifests = absolute(merged.manifests);
  const besideManifests = manifests === null ? null : join(dirname(manifests), 'routes.yaml');
  return Object.freeze({
    ...merged,
    manifests,
    routes: options.routes === undefined ? besideManifests : absolute(options.routes),
    routesNamed: typeof options.routes === 'string',
    data: absolute(merged.data),
    weights: absolute(merged.weights),
    modelsFolder: MODELS_FOLDER,
  });
}

/**
 * Options from text (environment variables, CLI flags). What is empty is not set; a text that makes no sense stays
 * one, and is refused as such.
 */
export function optionsFromText(source: Readonly<Partial<Record<SettingName, string>>>): ReachOptions {
  const options: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const text = source[name];
    if (text === undefined || text === '') continue;
    options[name] = SETTINGS[name].ofText?.(text) ?? text;
  }
  return options;
}

/** The options that REACH_* environment variables set. */
export function optionsFromEnvironment(env: NodeJS.ProcessEnv): ReachOptions {
  const entries = SETTING_NAMES.map((name) => [name, env[SETTINGS[name].variable]]);
  return optionsFromText(Object.fromEntries(entries));
}
