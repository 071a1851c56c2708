import { randomBytes } from 'node:crypto';
import type { DecisionRecord } from '../../record/decision-record.js';
import type {
  DifferingQuery,
  OutcomeRecord,
  RecordCursor,
  RecordQuery,
  RecordStore,
  ShadowTally,
} from '../../record/record-store.js';
import { differs, type ShadowVerdict } from '../../record/shadow-verdict.js';
import { startOf } from '../../record/trend-store.js';

/** Decisions of a team that are kept: some 30 MB where intents are long. */
export const RECORDS_IN_MEMORY = 10_000;

interface Records {
  readonly salt: string;
  readonly byRoute: Map<string, DecisionRecord>;
  /** By time, then by route_id. */
  readonly order: RecordCursor[];
}

function isBehind(one: RecordCursor, other: RecordCursor): boolean {
  return one.atMs === other.atMs ? one.routeId > other.routeId : one.atMs > other.atMs;
}

/** The newest decisions for as long as the process lives. */
export class MemoryRecordStore implements RecordStore {
  readonly #teams = new Map<string, Records>();

  async salt(team: string): Promise<string> {
    return this.#records(team).salt;
  }

  async append(team: string, records: readonly DecisionRecord[]): Promise<void> {
    const { byRoute, order } = this.#records(team);
    for (const record of records) {
      if (byRoute.has(record.routeId)) continue;
      byRoute.set(record.routeId, record);
      // They come nearly in order.
      let place = order.length;
      for (let last = order[place - 1]; last && isBehind(last, record); last = order[place - 1]) place -= 1;
      const cursor = { atMs: record.atMs, routeId: record.routeId };
      if (place === order.length) order.push(cursor);
      else order.splice(place, 0, cursor);
    }
    const tooMany = order.splice(0, Math.max(0, order.length - RECORDS_IN_MEMORY));
    for (const { routeId } of tooMany) byRoute.delete(routeId);
  }

  async find(team: string, routeId: string): Promise<DecisionRecord | undefined> {
    return this.#records(team).byRoute.get(routeId);
  }

  async report(team: string, routeId: string, outcome: OutcomeRecord): Promise<boolean> {
    const { byRoute } = this.#records(team);
    const record = byRoute.get(routeId);
    if (record === undefined || record.reported !== null) return false;
    byRoute.set(routeId, { ...record, reported: outcome });
    return true;
  }

  async keepShadow(team: string, routeId: string, shadow: ShadowVerdict): Promise<boolean> {
    const { byRoute } = this.#records(team);
    const record = byRoute.get(routeId);
    if (record === undefined || record.shadow !== null) return false;
    byRoute.set(routeId, { ...record, shadow });
    return true;
  }

  async shadowTallies(team: string, fromMs: number): Promise<readonly ShadowTally[]> {
    const tallies = new Map<string, ShadowTally>();
    for (const record of this.#records(team).byRoute.values()) {
      const { atMs, weightsVersion, shadow } = record;
      const hourMs = startOf('hour', atMs);
      if (shadow === null || hourMs < fromMs) continue;
      const names = { hourMs, weightsVersion, shadowVersion: shadow.weightsVersion };
      const key = JSON.stringify(Object.values(names));
      const { compared, differing } = tallies.get(key) ?? { compared: 0, differing: 0 };
      const isOther = Number(differs(record, shadow));
      tallies.set(key, { ...names, compared: compared + 1, differing: differing + isOther });
    }
    return [...tallies.values()];
  }

  async differing(
    team: string,
    { fromMs, before, limit }: DifferingQuery,
  ): Promise<readonly DecisionRecord[]> {
    const { byRoute, order } = this.#records(team);
    const found: DecisionRecord[] = [];
    for (let place = order.length - 1; place >= 0 && found.length < limit; place -= 1) {
      const each = order[place];
      if (each === undefined || each.atMs < fromMs) break;
      if (before !== undefined && !isBehind(before, each)) continue;
      const record = byRoute.get(each.routeId);
      if (record?.shadow && differs(record, record.shadow)) found.push(record);
    }
    return found;
  }

  async page(team: string, query: RecordQuery): Promise<readonly DecisionRecord[]> {
    const { fromMs, untilMs, agentName, after, newestFirst, limit } = query;
    const { byRoute, order } = this.#records(team);
    const page: DecisionRecord[] = [];
    for (const each of newestFirst ? order.toReversed() : order) {
      if (page.length === limit) break;
      if (each.atMs < fromMs || each.atMs >= untilMs) continue;
      if (after !== undefined && !(newestFirst ? isBehind(after, each) : isBehind(each, after))) continue;
      const record = byRoute.get(each.routeId);
      if (record !== undefined && (agentName ?? record.targetAgent) === record.targetAgent) page.push(record);
    }
    return page;
  }

  async prune(team: string, beforeMs: number): Promise<boolean> {
    const { byRoute, order } = this.#records(team);
    const kept = order.findIndex(({ atMs }) => atMs >= beforeMs);
    for (const { routeId } of order.splice(0, kept === -1 ? order.length : kept)) byRoute.delete(routeId);
    return false;
  }

  #records(team: string): Records {
    let records = this.#teams.get(team);
    if (records === undefined) {
      records = { salt: randomBytes(32).toString('hex'), byRoute: new Map(), order: [] };
      this.#teams.set(team, records);
    }
    return records;
  }
}
