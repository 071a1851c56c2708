import { hostname } from 'node:os';
import { serviceUrl } from '../client/service-calls.js';
import type { ManifestDocument } from '../wire/manifest.js';
import type { AgentLogger } from './agent-logger.js';
import type { Handler } from './task.js';

export interface ServeAgentOptions {
  readonly manifest: ManifestDocument;
  /** What each capability of the manifest does, by its id. One without a handler is told, and answered with 404. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** The service to register with, or several addresses of it; without one the agent just serves. */
  readonly reach?: string | readonly string[];
  /** Default 9595; 0 takes any that is free. */
  readonly port?: number;
  /** The address to listen on, default 127.0.0.1. */
  readonly host?: string;
  /** The URL under which the service reaches the agent, default `http://host:port`. */
  readonly address?: string;
  /** Who this is among the copies of the agent, over restarts; default from the machine's name and the port. */
  readonly instanceId?: string;
  /** Its share of the work among the copies, 0..10,000, default 100. */
  readonly weight?: number;
  readonly region?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Of the program. */
  readonly version?: string;
  /** How long running tasks may go on once the agent is told to end; default 10,000. */
  readonly drainMs?: number;
  /** Ends the agent as SIGTERM does. */
  readonly signal?: AbortSignal;
  /** Default `console`. */
  readonly logger?: AgentLogger;
}

/** Checked options, with every default in place that does not depend on the port. */
export interface AgentSettings extends ServeAgentOptions {
  readonly reach: readonly string[];
  readonly port: number;
  readonly host: string;
  readonly drainMs: number;
  readonly logger: AgentLogger;
}

const DEFAULTS = Object.freeze({ port: 9595, host: '127.0.0.1', drainMs: 10_000, logger: console });

/** Hosts that mean all addresses of a machine, and so none that could be called. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** @throws TypeError where the service has no URL, or the agent's address cannot be known. */
export function settingsOf(options: ServeAgentOptions): AgentSettings {
  const { reach = [], port = DEFAULTS.port, host = DEFAULTS.host } = options;
  const { drainMs = DEFAULTS.drainMs, logger = DEFAULTS.logger } = options;
  return { ...options, reach: servicesOf(reach, { ...options, host }), port, host, drainMs, logger };
}

/**
 * The addresses of a service that an agent registers with.
 * @throws TypeError where one is no URL, or the agent's own cannot be known
 */
export function servicesOf(
  reach: string | readonly string[],
  { host, address }: Pick<AgentSettings, 'host' | 'address'>,
): readonly string[] {
  const services = typeof reach === 'string' ? [reach] : reach;
  services.forEach(serviceUrl);
  if (services.length > 0 && address === undefined && ANY_ADDRESS.has(host)) {
    throw new TypeError(`An agent that listens on ${host} needs an address under which it is reached.`);
  }
  return services;
}

/** Where an agent listens, and who it is. */
export interface AgentPlace {
  readonly port: number;
  readonly address: string;
  readonly instanceId: string;
}

/** What depends on the port that was taken. */
export function placeOf({ host, address, instanceId }: AgentSettings, port: number): AgentPlace {
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    port,
    address: address ?? `http://${name}:${port}`,
    instanceId: instanceId ?? `${hostname()}-${port}`,
  };
}
