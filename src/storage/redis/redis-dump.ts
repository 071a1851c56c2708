import { DUMP_KINDS, type DumpKind, type DumpRow, type StoreDump } from '../store-dump.js';
import { sendAll } from './dump-commands.js';
import * as documents from './dump-documents.js';
import {
  decision,
  label,
  type RedisKind,
  request,
  shadowTally,
  textKind,
  trend,
  vector,
} from './dump-kinds.js';
import { RedisLink } from './redis-link.js';
import { parseRedisTarget, shownTarget } from './redis-target.js';

/** What waits to be carried out is found among the requests when a replica starts: a queue of it is not moved. */
const REFILLED: RedisKind<'work'> = { async *dump() {}, async restore() {} };

const KINDS: { readonly [Kind in DumpKind]: RedisKind<Kind> } = {
  ...documents,
  label,
  request,
  work: REFILLED,
  recordSalt: textKind<'recordSalt'>(
    ['records', 'salt'],
    (salt) => ({ salt }),
    ({ salt }) => salt,
  ),
  requestSecret: textKind<'requestSecret'>(
    ['requests', 'secret'],
    (secret) => ({ secret }),
    ({ secret }) => secret,
  ),
  decision,
  shadowTally,
  trend,
  vector,
};

/** Any of them: rows of a kind go only to that kind. */
type AnyKind = RedisKind<DumpKind>;

/** What a service keeps in a Redis as a whole. */
export class RedisDump implements StoreDump {
  readonly place: string;
  readonly #link: RedisLink;
  readonly #teams: readonly string[];

  private constructor(link: RedisLink, place: string, teams: readonly string[]) {
    this.#link = link;
    this.place = place;
    this.#teams = teams;
  }

  /** @throws ReachError CONFIG_INVALID, STORE_UNAVAILABLE */
  static async open(url: string, teams: readonly string[]): Promise<RedisDump> {
    const target = parseRedisTarget(url);
    return new RedisDump(await RedisLink.open(target), `Redis at ${shownTarget(target)}`, teams);
  }

  async *dump(): AsyncGenerator<DumpRow> {
    for (const kind of DUMP_KINDS) {
      const teams = kind === 'vector' ? [''] : this.#teams;
      for (const team of teams) {
        for await (const row of KINDS[kind].dump(this.#link, team)) yield { kind, team, row } as DumpRow;
      }
    }
  }

  importing(): Promise<string | undefined> {
    return importingInto(this.#link);
  }

  async begin(importId: string): Promise<void> {
    await sendAll(this.#link, [['SET', markOf(this.#link), importId]]);
  }

  async restore(rows: readonly DumpRow[]): Promise<void> {
    for (const team of new Set(rows.map((row) => row.team))) {
      const ofTeam = rows.filter((row) => row.team === team);
      const [first] = ofTeam;
      if (first === undefined) continue;
      const kind = KINDS[first.kind] as AnyKind;
      await kind.restore(
        this.#link,
        team,
        ofTeam.map(({ row }) => row),
      );
    }
  }

  async end(): Promise<void> {
    await sendAll(this.#link, [['DEL', markOf(this.#link)]]);
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

/** Of all teams. */
const markOf = (link: RedisLink) => link.key('setup', 'importing');

/** Which import has begun in a Redis and not ended. */
export async function importingInto(link: RedisLink): Promise<string | undefined> {
  return (await link.ask((client) => client.get(markOf(link)))) ?? undefined;
}
