import { redisScript } from './redis-link.js';

/**
 * The keys of a team: messages by id; where each that waits stands (its mark: attempts, when it is due, characters and
 * host), by id; hosts by when their first is due; all that wait, by host, then by when they are due; the characters that
 * wait; how each that has ended went, by id; and ids by their end. However many wait for a host that hangs, those for
 * another are found in a step.
 */
export const OUTBOX_KEYS = ['messages', 'standings', 'hosts', 'by-host', 'chars', 'endings', 'by-end'];

/** Ended messages whose end can be asked for, and how many one script lets go of. */
const KEPT_ENDED = 100_000;
export const SLICE = 200;

const PARTS = `
local function standing_of(id)
  local row = redis.call('HGET', KEYS[2], id)
  if not row then return nil end
  local attempts, due, chars, host, delivery = string.match(row, '^(%d+)|(%d+)|(%d+)|(%S*) (.*)$')
  return {attempts = attempts, due = due, chars = chars, host = host, delivery = delivery}
end
local function first_of(host)
  local member = redis.call('ZRANGEBYLEX', KEYS[4], '[' .. host .. ' ', '(' .. host .. '!', 'LIMIT', 0, 1)[1]
  if member then return string.match(member, '^%S+ (%d+) (.*)$') end
end
local function place(host)
  local due = first_of(host)
  if due then redis.call('ZADD', KEYS[3], due, host) else redis.call('ZREM', KEYS[3], host) end
end
local function wait(id, standing)
  local mark = table.concat({standing.attempts, standing.due, standing.chars, standing.host}, '|')
  redis.call('HSET', KEYS[2], id, mark .. ' ' .. standing.delivery)
  redis.call('ZADD', KEYS[4], 0, standing.host .. ' ' .. standing.due .. ' ' .. id)
  place(standing.host)
end
local function take_out(id, standing)
  redis.call('ZREM', KEYS[4], standing.host .. ' ' .. standing.due .. ' ' .. id)
end
local function next_host(from)
  local without = {}
  for i = from, #ARGV do without[ARGV[i]] = true end
  local hosts = redis.call('ZRANGE', KEYS[3], 0, #ARGV - from + 1, 'WITHSCORES')
  for i = 1, #hosts, 2 do
    if not without[hosts[i]] then return hosts[i], tonumber(hosts[i + 1]) end
  end
end
`;

/** ARGV: id, message, delivery, when it is due, its characters, its host, and both limits. */
export const ADD = redisScript(`${PARTS}
local id, chars = ARGV[1], tonumber(ARGV[5])
if redis.call('HEXISTS', KEYS[2], id) == 1 or redis.call('HEXISTS', KEYS[6], id) == 1 then return 'known' end
local waiting = tonumber(redis.call('GET', KEYS[5]) or '0')
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[7]) or waiting + chars > tonumber(ARGV[8]) then return 'full' end
redis.call('HSET', KEYS[1], id, ARGV[2])
redis.call('INCRBY', KEYS[5], chars)
wait(id, {attempts = '0', due = ARGV[4], chars = ARGV[5], host = ARGV[6], delivery = ARGV[3]})
return 'added'`);

/** ARGV: now, until when it is taken, hosts to be left out. */
export const TAKE = redisScript(`${PARTS}
local host, due = next_host(3)
if not host or due > tonumber(ARGV[1]) then return nil end
local _, id = first_of(host)
local standing = standing_of(id)
take_out(id, standing)
standing.due = ARGV[2]
wait(id, standing)
return {redis.call('HGET', KEYS[1], id), standing.delivery}`);

/** ARGV: id, attempts before, the delivery, its attempts, when it is due again or nothing, now. */
export const SETTLE = redisScript(`${PARTS}
local id = ARGV[1]
local standing = standing_of(id)
if not standing or standing.attempts ~= ARGV[2] then return 0 end
take_out(id, standing)
if ARGV[5] ~= '' then
  wait(id, {attempts = ARGV[4], due = ARGV[5], chars = standing.chars, host = standing.host, delivery = ARGV[3]})
  return 1
end
redis.call('HDEL', KEYS[1], id)
redis.call('HDEL', KEYS[2], id)
redis.call('DECRBY', KEYS[5], standing.chars)
place(standing.host)
redis.call('HSET', KEYS[6], id, ARGV[3])
redis.call('ZADD', KEYS[7], ARGV[6], id)
if redis.call('ZCARD', KEYS[7]) > ${KEPT_ENDED} then
  redis.call('HDEL', KEYS[6], redis.call('ZPOPMIN', KEYS[7])[1])
end
return 1`);

/** ARGV: hosts to be left out. */
export const NEXT_DUE = redisScript(`${PARTS}
local _, due = next_host(1)
return due`);

/** ARGV: id. */
export const FIND = redisScript(`${PARTS}
local standing = standing_of(ARGV[1])
return standing and standing.delivery or redis.call('HGET', KEYS[6], ARGV[1])`);

/** ARGV: the end before which they are let go of. */
export const PRUNE = redisScript(`
local old = redis.call('ZRANGEBYSCORE', KEYS[7], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ${SLICE})
for _, id in ipairs(old) do
  redis.call('HDEL', KEYS[6], id)
  redis.call('ZREM', KEYS[7], id)
end
return #old`);
