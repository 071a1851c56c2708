import { redisScript } from './redis-link.js';

/**
 * A place in the order of a state: by the time of the acceptance, those of the same ms by their number. Exact in a
 * double until the year 2248.
 */
export const PLACES_A_MS = 1_024;

/**
 * KEYS: the row, the numbers, the due, the deadlines, then the order of each state. ARGV: the id, place of the state
 * among them, accepted, deadline, '1' where it has ended, '1' where something is due, the row as pairs.
 */
export const CREATE_REQUEST = redisScript(`
local found = redis.call('HMGET', KEYS[1], 'asked', 'progress')
if found[1] then return found end
local seq = redis.call('INCR', KEYS[2])
local id = ARGV[1]
redis.call('HSET', KEYS[1], 'seq', seq, 'place', ARGV[2], unpack(ARGV, 7))
redis.call('ZADD', KEYS[4 + ARGV[2]], ARGV[3] * ${PLACES_A_MS} + seq % ${PLACES_A_MS}, id)
if ARGV[6] == '1' then redis.call('ZADD', KEYS[3], seq, id) end
if ARGV[5] == '0' then redis.call('ZADD', KEYS[4], ARGV[4], id) end
return 0
`);

/** KEYS and ARGV as CREATE_REQUEST, and the revision before stands first. 1: saved; 0: it has another, or is not there. */
export const SAVE_REQUEST = redisScript(`
local before = table.remove(ARGV, 1)
local row = redis.call('HMGET', KEYS[1], 'revision', 'seq', 'place', 'accepted')
if row[1] ~= before then return 0 end
local id = ARGV[1]
redis.call('HSET', KEYS[1], 'place', ARGV[2], unpack(ARGV, 7))
if row[3] ~= ARGV[2] then
  redis.call('ZREM', KEYS[4 + row[3]], id)
  redis.call('ZADD', KEYS[4 + ARGV[2]], row[4] * ${PLACES_A_MS} + row[2] % ${PLACES_A_MS}, id)
end
if ARGV[6] == '1' then redis.call('ZADD', KEYS[3], row[2], id) else redis.call('ZREM', KEYS[3], id) end
if ARGV[5] == '0' then redis.call('ZADD', KEYS[4], ARGV[4], id) else redis.call('ZREM', KEYS[4], id) end
return 1
`);

/** KEYS: the row, the due, the deadlines, then the order of each state. ARGV: the id. */
export const REMOVE_REQUEST = redisScript(`
redis.call('UNLINK', KEYS[1])
for index = 2, #KEYS do redis.call('ZREM', KEYS[index], ARGV[1]) end
`);

/**
 * Lets go of ended ones. KEYS: the order of their state, the due, then their rows. ARGV: its place, accepted before,
 * then their ids. A row that is another one by now stays.
 */
export const PRUNE_REQUESTS = redisScript(`
for index = 3, #KEYS do
  local id = ARGV[index]
  local row = redis.call('HMGET', KEYS[index], 'place', 'accepted')
  if not row[1] or (row[1] == ARGV[1] and tonumber(row[2]) < tonumber(ARGV[2])) then
    redis.call('UNLINK', KEYS[index])
    redis.call('ZREM', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
  elseif row[1] ~= ARGV[1] then
    redis.call('ZREM', KEYS[1], id)
  end
end
`);
