import type { Command } from 'commander';
import { optionsFromEnvironment, optionsFromText, type ReachOptions } from '../config.js';
import { LOG_LEVELS } from '../settings.js';

type Setting = keyof ReachOptions;

const FLAGS: Readonly<Record<Setting, readonly [flag: string, help: string]>> = {
  host: ['--host <host>', 'where to listen (REACH_HOST)'],
  port: ['--port <port>', 'where to listen, 0 for any free port (REACH_PORT)'],
  data: ['--data <folder>', 'where serve and demo keep the store, .reach if not told (REACH_DATA)'],
  store: ['--store <url>', 'a Redis that replicas share, in place of it: redis://... (REACH_STORE)'],
  manifests: ['--manifests <folder>', 'manifests to load and watch (REACH_MANIFESTS)'],
  routes: [
    '--routes <file>',
    'rules to read and follow, routes.yaml beside the manifests if not told (REACH_ROUTES)',
  ],
  model: ['--model <name or folder>', 'the embedding model (REACH_MODEL)'],
  englishModel: [
    '--english-model <true or false>',
    'a second model for English beside it (REACH_ENGLISH_MODEL)',
  ],
  weights: ['--weights <file>', "weights in place of the model's own (REACH_WEIGHTS)"],
  fallbackAgent: ['--fallback-agent <agent>', 'who takes what nobody is sure of (REACH_FALLBACK_AGENT)'],
  threshold: ['--threshold <0..1>', 'the least confidence to route on (REACH_THRESHOLD)'],
  strictCompat: [
    '--strict-compat <true or false>',
    'refuse manifests that break callers of the version before (REACH_STRICT_COMPAT)',
  ],
  probes: ['--probes <true or false>', 'probe instances every 5 s (REACH_PROBES)'],
  publicUrl: ['--public-url <url>', 'where agents reach this service, if not there (REACH_PUBLIC_URL)'],
  lanes: [
    '--lanes <sizes>',
    'what an instance takes at once, and how many wait: P0=10/100,P1=6/1000,P2=3/5000 (REACH_LANES)',
  ],
  allowedHosts: [
    '--allowed-hosts <hosts>',
    'where callbacks, webhooks and token requests may go (REACH_ALLOWED_HOSTS)',
  ],
  webhookSecret: ['--webhook-secret <ref>', 'env:NAME or file:PATH, to sign with (REACH_WEBHOOK_SECRET)'],
  tickets: ['--tickets <true or false>', 'keep questions for a person as tickets (REACH_TICKETS)'],
  ticketWebhooks: [
    '--ticket-webhooks <list>',
    'who is told of tickets: slack=URL,feishu=URL;env:NAME (REACH_TICKET_WEBHOOKS)',
  ],
  logLevel: ['--log-level <level>', `${LOG_LEVELS.join(', ')} (REACH_LOG_LEVEL)`],
};
export const ALL_SETTINGS = Object.keys(FLAGS) as Setting[];

/** Gives a command the flags of these settings. Each has the name of its REACH_* variable. */
export function addConfigFlags(command: Command, settings: readonly Setting[]): Command {
  for (const setting of settings) command.option(...FLAGS[setting]);
  return command;
}

function flagsOf(command: Command, settings: readonly Setting[]): ReachOptions {
  const given = command.opts<Partial<Record<Setting, string>>>();
  return optionsFromText(Object.fromEntries(settings.map((setting) => [setting, given[setting]])));
}

/** What was set for a command: its own flags win over flags before its name, these over the environment. */
export function settingsOf(
  command: Command,
  settings: readonly Setting[],
  env: NodeJS.ProcessEnv,
): ReachOptions {
  const before = command.parent === null ? {} : flagsOf(command.parent, ALL_SETTINGS);
  return { ...optionsFromEnvironment(env), ...before, ...flagsOf(command, settings) };
}
