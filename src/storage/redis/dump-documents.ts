import type { Delivery, OutboxMessage } from '../../outbox/message.js';
import { instanceKey } from '../../registry/instance.js';
import type { StoredSession } from '../../sessions/session-store.js';
import type { DumpRows } from '../store-dump.js';
import { VERSION_KEY } from './change-feed-lua.js';
import { fieldsOf, keysBehind, type RedisCommand, sendAll } from './dump-commands.js';
import type { RedisKind } from './dump-kinds.js';
import { RedisInstanceStore } from './instance-store.js';
import { jsonFrom, markedJson, valueIn } from './marked-json.js';
import { RedisOutboxStore } from './outbox-store.js';
import { RedisTuningStore } from './tuning-store.js';

/** What a message that waits is not to run into while it is restored. */
const NO_LIMITS = { messages: Number.MAX_SAFE_INTEGER, chars: Number.MAX_SAFE_INTEGER };

export const sequence: RedisKind<'sequence'> = {
  async *dump(link, team) {
    const version = await link.ask((client) => client.get(link.key(team, VERSION_KEY)));
    if (version !== null) yield { version: Number(version) };
  },
  async restore(link, team, rows) {
    // Of the catalogue's last change no more is known than that it is not behind it.
    const keys = [VERSION_KEY, 'catalogue'].map((part) => link.key(team, part));
    await sendAll(
      link,
      rows.flatMap(({ version }) => keys.map((key): RedisCommand => ['SET', key, version])),
    );
  },
};

export const manifest: RedisKind<'manifest'> = {
  async *dump(link, team) {
    for await (const agentName of keysBehind(link, `${link.key(team, 'versions')}:`)) {
      const current = await link.ask((client) => client.hget(link.key(team, 'current'), agentName));
      for await (const [number, text] of fieldsOf(link, link.key(team, 'versions', agentName))) {
        const documents = link.key(team, 'documents', agentName);
        const document = await link.ask((client) => client.hget(documents, number));
        const meta = jsonFrom<Omit<DumpRows['manifest'], 'agentName' | 'document' | 'current'>>(
          text,
          'a manifest',
        );
        const kept = { agentName, ...meta, document: jsonFrom<never>(document ?? '', 'a manifest') };
        yield { ...kept, current: number === current };
      }
    }
  },
  async restore(link, team, rows) {
    const commands = rows.flatMap(({ agentName, document, current, ...meta }): RedisCommand[] => {
      const number = meta.manifestVersion;
      const kept: RedisCommand[] = [
        ['HSET', link.key(team, 'versions', agentName), number, JSON.stringify(meta)],
        ['HSET', link.key(team, 'documents', agentName), number, JSON.stringify(document)],
      ];
      return current ? [...kept, ['HSET', link.key(team, 'current'), agentName, number]] : kept;
    });
    await sendAll(link, commands);
  },
};

export const instance: RedisKind<'instance'> = {
  async *dump(link, team) {
    yield* await new RedisInstanceStore(link).load(team);
  },
  async restore(link, team, rows) {
    const commands = rows.map(({ addrVersion, ...stored }): RedisCommand => {
      const row = `${addrVersion} ${stored.address} ${JSON.stringify(stored)}`;
      return ['HSET', link.key(team, 'instances'), instanceKey(stored), row];
    });
    await sendAll(link, commands);
  },
};

export const session: RedisKind<'session'> = {
  async *dump(link, team) {
    const documents = link.key(team, 'sessions', 'documents');
    for await (const [sessionId, summary] of fieldsOf(link, link.key(team, 'sessions', 'summaries'))) {
      const document = await link.ask((client) => client.hget(documents, sessionId));
      const rest = jsonFrom<StoredSession>(document ?? '', 'a session');
      yield { ...valueIn<StoredSession>(summary, 'a session'), ...rest };
    }
  },
  async restore(link, team, rows) {
    const key = (part: string) => link.key(team, 'sessions', part);
    const commands = rows.flatMap((row): RedisCommand[] => {
      const { sessionId, kind, userId, intent, revision, updatedAtMs, expiresAtMs, ...document } = row;
      const summary = { sessionId, kind, userId, intent, revision, updatedAtMs, expiresAtMs };
      return [
        ['HSET', key('summaries'), sessionId, markedJson(revision, summary)],
        ['HSET', key('documents'), sessionId, JSON.stringify(document)],
        ['ZADD', key('by-change'), updatedAtMs, sessionId],
        ['ZADD', key('by-end'), expiresAtMs, sessionId],
      ];
    });
    await sendAll(link, commands);
  },
};

export const message: RedisKind<'message'> = {
  async *dump(link, team) {
    const key = (part: string) => link.key(team, 'outbox', part);
    for await (const [messageId, standing] of fieldsOf(link, key('standings'))) {
      const text = await link.ask((client) => client.hget(key('messages'), messageId));
      const dueAtMs = Number(standing.split('|', 2)[1]);
      const told = jsonFrom<OutboxMessage>(text ?? '', 'a message');
      yield {
        messageId,
        message: told,
        delivery: deliveryIn(standing.slice(standing.indexOf(' '))),
        dueAtMs,
        endedAtMs: null,
      };
    }
    for await (const [messageId, delivery] of fieldsOf(link, key('endings'))) {
      const endedAtMs = Number(await link.ask((client) => client.zscore(key('by-end'), messageId)));
      yield { messageId, message: null, delivery: deliveryIn(delivery), dueAtMs: null, endedAtMs };
    }
  },
  async restore(link, team, rows) {
    const store = new RedisOutboxStore(link);
    const key = (part: string) => link.key(team, 'outbox', part);
    for (const { messageId, message: told, delivery, dueAtMs, endedAtMs } of rows) {
      if (told === null) {
        const ending: RedisCommand[] = [
          ['HSET', key('endings'), messageId, JSON.stringify(delivery)],
          ['ZADD', key('by-end'), endedAtMs ?? 0, messageId],
        ];
        await sendAll(link, ending);
        continue;
      }
      await store.add(team, told, dueAtMs ?? 0, NO_LIMITS);
      await store.settle(team, messageId, 0, { ...delivery, nextAtMs: dueAtMs ?? 0 }, 0);
    }
  },
};

export const ticket: RedisKind<'ticket'> = {
  async *dump(link, team) {
    for await (const [, row] of fieldsOf(link, link.key(team, 'tickets', 'rows')))
      yield valueIn<DumpRows['ticket']>(row, 'a ticket');
  },
  async restore(link, team, rows) {
    const key = (part: string) => link.key(team, 'tickets', part);
    const commands = rows.flatMap((row): RedisCommand[] => {
      const { ticketId, causeKey, standing, lastAtMs, revision } = row;
      const kept: RedisCommand[] = [
        ['HSET', key('rows'), ticketId, markedJson(revision, row)],
        ['ZADD', key(standing.state), lastAtMs, ticketId],
      ];
      if (standing.state === 'resolved')
        return [...kept, ['ZADD', key('by-resolution'), standing.atMs, ticketId]];
      kept.push(['HSET', key('by-cause'), causeKey, ticketId]);
      if (standing.state === 'claimed') kept.push(['ZADD', key('by-claim-end'), standing.untilMs, ticketId]);
      return kept;
    });
    await sendAll(link, commands);
  },
};

export const tuning: RedisKind<'tuning'> = {
  async *dump(link, team) {
    const store = new RedisTuningStore(link);
    for (const version of await store.versions(team)) {
      const weights = await store.weights(team, version.number);
      if (weights !== undefined) yield { ...version, weights };
    }
  },
  async restore(link, team, rows) {
    const commands = rows.flatMap(({ number, rolledBackAtMs, weights, ...summary }): RedisCommand[] => [
      ['HSET', link.key(team, 'tuning', 'versions'), number, markedJson(rolledBackAtMs ?? '-', summary)],
      ['HSET', link.key(team, 'tuning', 'weights'), number, JSON.stringify(weights)],
    ]);
    await sendAll(link, commands);
  },
};

export const shadowWeights: RedisKind<'shadowWeights'> = {
  async *dump(link, team) {
    const shadow = await new RedisTuningStore(link).shadow(team);
    if (shadow !== null) yield shadow;
  },
  async restore(link, team, rows) {
    const key = link.key(team, 'tuning', 'shadow');
    await sendAll(
      link,
      rows.map((row): RedisCommand => ['SET', key, JSON.stringify(row)]),
    );
  },
};

function deliveryIn(text: string): Delivery {
  return jsonFrom(text, 'the delivery of a message');
}
