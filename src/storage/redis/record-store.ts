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
import { jsonFrom, markedJson, valueIn } from './marked-json.js';
import {
  APPEND,
  FIND,
  KEEP_SHADOW,
  LET_GO_OF_TALLIES,
  NO_AGENT,
  PAGE,
  PARTS,
  PRUNE,
  PUT_TALLIES,
  REPORT,
  SLICE,
  TALLIES,
} from './record-lua.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Decisions of a team that are kept: with some 2 KB each, 400 MB. */
const RECORDS_IN_REDIS = 200_000;

/** The places of the orders among the keys, which Lua counts from 1. */
const BY_TIME = 4;
const BY_AGENT = 5;
const DIFFERING = 6;

/** ARGV: a salt for where there is none. */
const SALT = redisScript(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])`);

/** Members of an order stand by their bytes: the time, as wide as the largest, then the id. */
const timeOf = (atMs: number) => String(Math.max(0, Math.floor(atMs))).padStart(16, '0');
const memberOf = ({ atMs, routeId }: RecordCursor) => `${timeOf(atMs)}:${routeId}`;

/** Decisions in a Redis. */
export class RedisRecordStore implements RecordStore {
  readonly #link: RedisLink;
  readonly #most: number;

  /** `most`: how many are kept of a team. */
  constructor(link: RedisLink, most = RECORDS_IN_REDIS) {
    this.#link = link;
    this.#most = most;
  }

  async salt(team: string): Promise<string> {
    const key = this.#link.key(team, 'records', 'salt');
    return String(await this.#link.run(SALT, [key], [randomBytes(32).toString('hex')]));
  }

  async append(team: string, records: readonly DecisionRecord[]): Promise<void> {
    const slices: Promise<unknown>[] = [];
    // All are sent before the first is answered.
    for (let start = 0; start < records.length; start += SLICE) {
      const rows = records.slice(start, start + SLICE).flatMap(argumentsOf);
      slices.push(this.#link.run(APPEND, this.#keys(team), [this.#most, ...rows]));
    }
    await Promise.all(slices);
  }

  async find(team: string, routeId: string): Promise<DecisionRecord | undefined> {
    const [found] = recordsIn(await this.#link.run(FIND, this.#keys(team), [routeId]));
    return found;
  }

  async report(team: string, routeId: string, outcome: OutcomeRecord): Promise<boolean> {
    const args = [routeId, JSON.stringify(outcome)];
    return (await this.#link.run(REPORT, this.#keys(team), args)) === 1;
  }

  async keepShadow(team: string, routeId: string, shadow: ShadowVerdict): Promise<boolean> {
    // What was decided never changes: the script needs not read it again.
    const decided = await this.find(team, routeId);
    if (decided === undefined) return false;
    const args = [routeId, memberOf(decided), ...shadowArguments(decided, shadow)];
    return (await this.#link.run(KEEP_SHADOW, this.#keys(team), args)) === 1;
  }

  async shadowTallies(team: string, fromMs: number): Promise<readonly ShadowTally[]> {
    return (await this.#tallies(team)).filter(({ hourMs }) => hourMs >= fromMs);
  }

  /** Puts counts in the place of those that are there. */
  async putTallies(team: string, tallies: readonly ShadowTally[]): Promise<void> {
    const args = tallies.flatMap((tally) => [tallyName(tally), tally.compared, tally.differing]);
    await this.#link.run(PUT_TALLIES, this.#keys(team), args);
  }

  async differing(
    team: string,
    { fromMs, before, limit }: DifferingQuery,
  ): Promise<readonly DecisionRecord[]> {
    const last = before === undefined ? '+' : `(${memberOf(before)}`;
    return this.#page(team, DIFFERING, {
      prefix: '',
      first: `[${timeOf(fromMs)}`,
      last,
      newestFirst: true,
      limit,
    });
  }

  async page(team: string, query: RecordQuery): Promise<readonly DecisionRecord[]> {
    const { fromMs, untilMs, agentName, after, newestFirst, limit } = query;
    const prefix = agentName === undefined ? '' : `${agentName}/`;
    const behind = after && `(${prefix}${memberOf(after)}`;
    const from = `[${prefix}${timeOf(fromMs)}`;
    const until = `(${prefix}${timeOf(untilMs)}`;
    const ends = newestFirst
      ? { first: from, last: behind ?? until }
      : { first: behind ?? from, last: until };
    const order = agentName === undefined ? BY_TIME : BY_AGENT;
    return this.#page(team, order, { prefix, ...ends, newestFirst, limit });
  }

  async prune(team: string, beforeMs: number): Promise<boolean> {
    const gone = await this.#link.run(PRUNE, this.#keys(team), [`(${timeOf(beforeMs)}`]);
    if (gone === SLICE) return true;
    const hourMs = startOf('hour', beforeMs);
    const old = (await this.#tallies(team)).filter((tally) => tally.hourMs < hourMs).map(tallyName);
    for (let start = 0; start < old.length; start += SLICE)
      await this.#link.run(LET_GO_OF_TALLIES, this.#keys(team), old.slice(start, start + SLICE));
    return false;
  }

  /** Read in slices: between two of them Redis has time for others. */
  async #page(
    team: string,
    order: number,
    range: {
      readonly prefix: string;
      readonly first: string;
      readonly last: string;
      readonly newestFirst: boolean;
      readonly limit: number;
    },
  ): Promise<DecisionRecord[]> {
    const { prefix, newestFirst, limit } = range;
    let { first, last } = range;
    const page: DecisionRecord[] = [];
    while (page.length < limit) {
      const count = Math.min(limit - page.length, SLICE);
      const ends = newestFirst ? ['ZREVRANGEBYLEX', last, first] : ['ZRANGEBYLEX', first, last];
      const slice = recordsIn(await this.#link.run(PAGE, this.#keys(team), [order, ...ends, count]));
      page.push(...slice);
      const end = slice.at(-1);
      if (slice.length < count || end === undefined) break;
      const next = `(${prefix}${memberOf(end)}`;
      if (newestFirst) last = next;
      else first = next;
    }
    return page;
  }

  async #tallies(team: string): Promise<ShadowTally[]> {
    /** A scan may give one twice. */
    const tallies = new Map<string, ShadowTally>();
    let cursor = '0';
    do {
      const [next = '0', ...fields] = (await this.#link.run(TALLIES, this.#keys(team), [cursor])) as string[];
      for (let place = 0; place < fields.length; place += 3) {
        const [name = '', compared, differing] = fields.slice(place, place + 3);
        const [hourMs, weightsVersion, shadowVersion] = jsonFrom<[number, string, string]>(name, 'a tally');
        const counts = { compared: Number(compared), differing: Number(differing) };
        tallies.set(name, { hourMs, weightsVersion, shadowVersion, ...counts });
      }
      cursor = next;
    } while (cursor !== '0');
    return [...tallies.values()];
  }

  #keys(team: string): string[] {
    return PARTS.map((part) => this.#link.key(team, 'records', part));
  }
}

function tallyName({
  hourMs,
  weightsVersion,
  shadowVersion,
}: Pick<ShadowTally, 'hourMs' | 'weightsVersion' | 'shadowVersion'>) {
  return JSON.stringify([hourMs, weightsVersion, shadowVersion]);
}

function shadowArguments(decided: DecisionRecord, shadow: ShadowVerdict): string[] {
  const { atMs, weightsVersion } = decided;
  const tally = { hourMs: startOf('hour', atMs), weightsVersion, shadowVersion: shadow.weightsVersion };
  return [JSON.stringify(shadow), tallyName(tally), differs(decided, shadow) ? '1' : '0'];
}

function argumentsOf(record: DecisionRecord): string[] {
  const { reported, shadow, ...decided } = record;
  const agent = record.targetAgent ?? NO_AGENT;
  return [
    record.routeId,
    memberOf(record),
    agent,
    markedJson(agent, decided),
    reported === null ? '' : JSON.stringify(reported),
    ...(shadow === null ? ['', '', ''] : shadowArguments(record, shadow)),
  ];
}

function recordsIn(answer: unknown): DecisionRecord[] {
  const texts = answer as string[];
  const records: DecisionRecord[] = [];
  for (let place = 0; place < texts.length; place += 3) {
    const [row = '', reported = '', shadow = ''] = texts.slice(place, place + 3);
    if (row === '') continue;
    const later = (text: string) => (text === '' ? null : jsonFrom<never>(text, 'a decision'));
    const decided = valueIn<Omit<DecisionRecord, 'reported' | 'shadow'>>(row, 'a decision');
    records.push({ ...decided, reported: later(reported), shadow: later(shadow) });
  }
  return records;
}
