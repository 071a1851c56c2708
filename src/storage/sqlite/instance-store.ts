import type { InstanceName } from '../../registry/instance.js';
import type { InstanceStore, StoredInstance } from '../../registry/instance-store.js';
import { nextAddressVersion } from '../next-address-version.js';
import { jsonFrom } from './errors.js';
import { GroupCommit } from './group-commit.js';
import type { SqliteFile } from './sqlite-file.js';
import { prepareNextVersion } from './team-versions.js';

interface InstanceRow {
  readonly agent_name: string;
  readonly instance_id: string;
  readonly address: string;
  readonly addr_version: number;
  readonly details: string;
}

type Details = Omit<StoredInstance, 'agentName' | 'instanceId' | 'address' | 'addrVersion'>;

/** Registered instances in a SQLite file. */
export class SqliteInstanceStore implements InstanceStore {
  readonly #file: SqliteFile;
  readonly #commits: GroupCommit;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #nextVersion: (team: string) => number;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#commits = new GroupCommit(file);
    this.#statements = prepareStatements(file);
    this.#nextVersion = prepareNextVersion(file);
  }

  async load(team: string): Promise<StoredInstance[]> {
    return this.#file.read(() => {
      const rows = this.#statements.all.all(team) as InstanceRow[];
      return rows.map((row) => this.#stored(row));
    });
  }

  async find(team: string, names: readonly InstanceName[]): Promise<StoredInstance[]> {
    return this.#file.read(() =>
      names.flatMap(({ agentName, instanceId }) => {
        const row = this.#statements.one.get(team, agentName, instanceId) as InstanceRow | undefined;
        return row === undefined ? [] : [this.#stored(row)];
      }),
    );
  }

  async save(
    team: string,
    instance: Omit<StoredInstance, 'addrVersion'>,
    expected: number | null,
  ): Promise<number> {
    const { agentName, instanceId, address, ...details } = instance;
    return this.#commits.transaction(() => {
      const row = this.#statements.one.get(team, agentName, instanceId) as InstanceRow | undefined;
      const stored = row && this.#stored(row);
      const addrVersion = nextAddressVersion(instance, stored, expected, () => this.#nextVersion(team));
      this.#statements.save.run(team, agentName, instanceId, address, addrVersion, JSON.stringify(details));
      return addrVersion;
    });
  }

  async remove(team: string, names: readonly InstanceName[]): Promise<number> {
    return this.#commits.transaction(() => {
      for (const { agentName, instanceId } of names) {
        this.#statements.remove.run(team, agentName, instanceId);
      }
      return this.#nextVersion(team);
    });
  }

  #stored(row: InstanceRow): StoredInstance {
    const { agent_name: agentName, instance_id: instanceId, address, addr_version: addrVersion } = row;
    // What is undefined has no place in JSON; it has one in an instance.
    const { healthAddress, region, version, incarnation, ...details } = jsonFrom<Details>(
      this.#file.path,
      row.details,
      `the instance ${instanceId} of ${agentName}`,
    );
    const optional = { healthAddress, region, version, incarnation };
    return { agentName, instanceId, address, addrVersion, ...details, ...optional };
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    all: file.prepare(`
      SELECT agent_name, instance_id, address, addr_version, details FROM instances
      WHERE team = ? ORDER BY agent_name, instance_id`),
    one: file.prepare(`
      SELECT agent_name, instance_id, address, addr_version, details FROM instances
      WHERE team = ? AND agent_name = ? AND instance_id = ?`),
    save: file.prepare(`
      INSERT INTO instances (team, agent_name, instance_id, address, addr_version, details)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET address = excluded.address, addr_version = excluded.addr_version,
        details = excluded.details`),
    remove: file.prepare('DELETE FROM instances WHERE team = ? AND agent_name = ? AND instance_id = ?'),
  };
}
