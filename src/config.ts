import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, type FieldError, ReachError, sentenceOf } from './errors.js';

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a user may set; everything has a default. Environment variables and CLI flags have the same names. */
export interface ReachOptions {
  /** Folder of manifests to load and watch; null: none. REACH_MANIFESTS. */
  readonly manifests?: string | null;
  /** File of rules to read and follow; null: none. Where nothing is said, `routes.yaml` beside the folder of manifests. REACH_ROUTES. */
  readonly routes?: string | null;
  /** Folder for the store's file; null: keep everything in memory. REACH_DATA. */
  readonly data?: string | null;
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

const DEFAULTS: Required<ReachOptions> = Object.freeze({
  manifests: null,
  routes: null,
  data: null,
  model: 'multilingual-e5-small',
  englishModel: true,
  weights: null,
  fallbackAgent: null,
  threshold: null,
  strictCompat: false,
  host: '127.0.0.1',
  port: 8080,
  probes: true,
  logLevel: 'warn',
});

type Requirement = { readonly expected: string; readonly holds: (value: unknown) => boolean };

const text: Requirement = {
  expected: 'a non-empty string',
  holds: (v) => typeof v === 'string' && v.trim() !== '',
};
const textOrNull: Requirement = {
  expected: 'a non-empty string or null',
  holds: (v) => v === null || text.holds(v),
};

const trueOrFalse: Requirement = { expected: 'true or false', holds: (v) => typeof v === 'boolean' };

const REQUIREMENTS: Readonly<Record<keyof ReachOptions, Requirement>> = {
  manifests: textOrNull,
  routes: textOrNull,
  data: textOrNull,
  model: text,
  englishModel: trueOrFalse,
  weights: textOrNull,
  fallbackAgent: textOrNull,
  threshold: {
    expected: 'a number from 0 to 1, or null',
    holds: (v) => v === null || (typeof v === 'number' && v >= 0 && v <= 1),
  },
  strictCompat: trueOrFalse,
  host: text,
  port: {
    expected: 'a whole number from 0 to 65535',
    holds: (v) => Number.isInteger(v) && (v as number) >= 0 && (v as number) <= 65_535,
  },
  probes: trueOrFalse,
  logLevel: {
    expected: `one of ${LOG_LEVELS.join(', ')}`,
    holds: (v) => (LOG_LEVELS as readonly unknown[]).includes(v),
  },
};

/**
 * Checks the options once and fills in the defaults.
 * @throws ReachError CONFIG_INVALID, with a pointer to each option that is unknown or wrong.
 */
export function resolveConfig(options: ReachOptions = {}): ReachConfig {
  const errors: FieldError[] = [];
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const requirement = Object.hasOwn(REQUIREMENTS, name)
      ? REQUIREMENTS[name as keyof ReachOptions]
      : undefined;
    if (requirement === undefined) {
      errors.push({
        pointer: `/${name}`,
        expected: `one of ${Object.keys(REQUIREMENTS).join(', ')}`,
        received: name,
      });
    } else if (!requirement.holds(value)) {
      errors.push({ pointer: `/${name}`, expected: requirement.expected, received: describe(value) });
    }
    given[name] = value;
  }
  if (errors.length > 0) {
    const named = errors.map((error) => ({ ...error, pointer: nameOf(error.pointer.slice(1)) }));
    throw new ReachError('CONFIG_INVALID', sentenceOf(named), { errors });
  }
  const merged = { ...DEFAULTS, ...given } as Required<ReachOptions>;
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

/** As the library knows an option, and as everybody else does. */
function nameOf(option: string): string {
  const variable = ENVIRONMENT[option as keyof ReachOptions];
  return variable === undefined ? option : `${option} (${variable})`;
}

const ENVIRONMENT: Readonly<Record<keyof ReachOptions, string>> = {
  manifests: 'REACH_MANIFESTS',
  routes: 'REACH_ROUTES',
  data: 'REACH_DATA',
  model: 'REACH_MODEL',
  englishModel: 'REACH_ENGLISH_MODEL',
  weights: 'REACH_WEIGHTS',
  fallbackAgent: 'REACH_FALLBACK_AGENT',
  threshold: 'REACH_THRESHOLD',
  strictCompat: 'REACH_STRICT_COMPAT',
  host: 'REACH_HOST',
  port: 'REACH_PORT',
  probes: 'REACH_PROBES',
  logLevel: 'REACH_LOG_LEVEL',
};

const NUMERIC: ReadonlySet<string> = new Set(['port', 'threshold'] satisfies (keyof ReachOptions)[]);
const TRUTHS: ReadonlySet<string> = new Set([
  'strictCompat',
  'englishModel',
  'probes',
] satisfies (keyof ReachOptions)[]);
const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** What a text means for an option; a text that makes no sense stays one, and is refused as such. */
function optionOf(name: string, text: string): unknown {
  if (NUMERIC.has(name)) return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  return TRUTHS.has(name) ? (TRUTH.get(text) ?? text) : text;
}

/** Options from text (environment variables, CLI flags); what is empty is not set. */
export function optionsFromText(source: Readonly<Partial<Record<keyof ReachOptions, string>>>): ReachOptions {
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || value === '') continue;
    options[name] = optionOf(name, value);
  }
  return options as ReachOptions;
}

/** The options that REACH_* environment variables set. */
export function optionsFromEnvironment(env: NodeJS.ProcessEnv): ReachOptions {
  const entries = Object.entries(ENVIRONMENT).map(([name, variable]) => [name, env[variable]]);
  return optionsFromText(Object.fromEntries(entries));
}
