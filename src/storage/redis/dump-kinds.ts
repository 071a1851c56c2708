import { ReachError } from '../../errors.js';
import { inPages } from '../../pages.js';
import type { DecisionRecord } from '../../record/decision-record.js';
import { PERIOD_NAMES } from '../../record/trend-store.js';
import { decodeFloat32, encodeFloat32 } from '../float32-blob.js';
import type { DumpKind, DumpRows } from '../store-dump.js';
import { keysBehind, type RedisCommand, sendAll } from './dump-commands.js';
import { RedisLabelStore } from './label-store.js';
import { RedisRecordStore } from './record-store.js';
import type { RedisLink } from './redis-link.js';
import { RedisRequestStore } from './request-store.js';
import { RedisTrendStore } from './trend-store.js';
import { RedisVectorStore } from './vector-store.js';

/** How a kind is read from a Redis, and kept in it: what is there already stays, or is written again as it is. */
export interface RedisKind<Kind extends DumpKind> {
  dump(link: RedisLink, team: string): AsyncIterable<DumpRows[Kind]>;
  restore(link: RedisLink, team: string, rows: readonly DumpRows[Kind][]): Promise<void>;
}

const RECORD_BOUNDS = {
  fromMs: 0,
  untilMs: Number.MAX_SAFE_INTEGER,
  agentName: undefined,
  newestFirst: false,
};

/** One text under one key. */
export function textKind<Kind extends DumpKind>(
  parts: readonly string[],
  rowOf: (text: string) => DumpRows[Kind],
  textOf: (row: DumpRows[Kind]) => string,
): RedisKind<Kind> {
  return {
    async *dump(link, team) {
      const text = await link.ask((client) => client.get(link.key(team, ...parts)));
      if (text !== null) yield rowOf(text);
    },
    async restore(link, team, rows) {
      const commands = rows.map((row): RedisCommand => ['SET', link.key(team, ...parts), textOf(row)]);
      await sendAll(link, commands);
    },
  };
}

export const decision: RedisKind<'decision'> = {
  dump: (link, team) =>
    inPages<DecisionRecord>((after, limit) =>
      new RedisRecordStore(link).page(team, { ...RECORD_BOUNDS, after, limit }),
    ),
  restore: (link, team, rows) => new RedisRecordStore(link).append(team, rows),
};

/** Behind the decisions, which were counted when they were kept: these are the counts that hold. */
export const shadowTally: RedisKind<'shadowTally'> = {
  async *dump(link, team) {
    yield* await new RedisRecordStore(link).shadowTallies(team, 0);
  },
  restore: (link, team, rows) => new RedisRecordStore(link).putTallies(team, rows),
};

export const trend: RedisKind<'trend'> = {
  async *dump(link, team) {
    for (const period of PERIOD_NAMES) yield* new RedisTrendStore(link).all(team, period);
  },
  restore: (link, team, rows) => new RedisTrendStore(link).put(team, rows),
};

export const label: RedisKind<'label'> = {
  dump: (link, team) =>
    inPages<DumpRows['label']>((after, limit) =>
      new RedisLabelStore(link).page(team, { source: undefined, fromMs: 0, after, limit }),
    ),
  async restore(link, team, rows) {
    if ((await new RedisLabelStore(link).add(team, rows)) !== 'full') return;
    throw new ReachError('STORE_UNAVAILABLE', 'There are more labels than are kept.');
  },
};

/** In the order in which they were accepted, which those that wait are carried out in. */
export const request: RedisKind<'request'> = {
  async *dump(link, team) {
    const beginning = link.key(team, 'request', '');
    const numbered: (readonly [number: number, requestId: string])[] = [];
    for await (const requestId of keysBehind(link, beginning)) {
      const number = await link.ask((client) => client.hget(`${beginning}${requestId}`, 'seq'));
      numbered.push([Number(number), requestId]);
    }
    const store = new RedisRequestStore(link);
    for (const [, requestId] of numbered.sort(([one], [other]) => one - other)) {
      const row = await store.find(team, requestId);
      if (row !== undefined) yield row;
    }
  },
  async restore(link, team, rows) {
    const store = new RedisRequestStore(link);
    for (const row of rows) await store.create(team, row);
  },
};

/** Of all teams: their keys have a part of their own in the place of one. */
export const vector: RedisKind<'vector'> = {
  async *dump(link) {
    const store = new RedisVectorStore(link);
    const beginning = link.key(RedisVectorStore.ofAll);
    for await (const name of keysBehind(link, beginning)) {
      const [modelHash = '', textHash = '', ...rest] = name.split(':');
      const found = rest.length > 0 ? undefined : await store.getMany(modelHash, [textHash]);
      const numbers = found?.get(textHash);
      if (numbers === undefined) continue;
      yield { modelHash, textHash, vector: Buffer.from(encodeFloat32(numbers)).toString('base64') };
    }
  },
  async restore(link, _, rows) {
    const store = new RedisVectorStore(link);
    for (const { modelHash, textHash, vector: text } of rows) {
      const numbers = decodeFloat32(Buffer.from(text, 'base64'));
      await store.putMany(modelHash, new Map([[textHash, numbers]]));
    }
  },
};
