import data from '../data/releases.json' with { type: 'json' };

export const ENVIRONMENTS = ['staging', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** One change of what runs somewhere. `at` is in UTC. */
export interface Release {
  readonly at: string;
  readonly service: string;
  readonly environment: Environment;
  readonly version: string;
  readonly action: 'deploy' | 'rollback';
  readonly by: string;
}

/** The releases of the data file, and those since this process started. What runs is what was released last. */
export class ReleaseLog {
  readonly services: readonly string[] = Object.keys(data.versions);
  readonly #versions = new Map<string, readonly string[]>(Object.entries(data.versions));
  readonly #releases: Release[] = [...(data.history as readonly Release[])];

  /** The versions that were built of a service, the oldest first. */
  versionsOf(service: string): readonly string[] {
    return this.#versions.get(service) ?? [];
  }

  /** The version that runs; undefined where none was ever released. */
  running(service: string, environment: Environment): string | undefined {
    return this.releases(service, environment)[0]?.version;
  }

  /** Whether a version has ever run somewhere. */
  hasRun(service: string, environment: Environment, version: string): boolean {
    return this.releases(service, environment).some((release) => release.version === version);
  }

  /** The version to go back to: the newest that ran before the running one and is older than it. */
  before(service: string, environment: Environment): string | undefined {
    const versions = this.versionsOf(service);
    const running = versions.indexOf(this.running(service, environment) ?? '');
    return this.releases(service, environment).find(
      ({ version }) => versions.includes(version) && versions.indexOf(version) < running,
    )?.version;
  }

  record(release: Release): void {
    this.#releases.push(release);
  }

  /** Releases, the newest first; of all services and environments where none is named. */
  releases(service?: string, environment?: Environment): readonly Release[] {
    return this.#releases
      .filter((release) => service === undefined || release.service === service)
      .filter((release) => environment === undefined || release.environment === environment)
      .toReversed();
  }
}
