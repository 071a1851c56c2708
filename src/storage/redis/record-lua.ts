import { redisScript } from './redis-link.js';

/** Rows that one script reads, writes or lets go of. */
export const SLICE = 200;

/**
 * Decisions behind the agent that they are for, what was reported of them and what their shadow says, by route_id; their
 * members by time, by agent and time, and of those that differ from their shadow; and the two counts of each tally.
 */
export const PARTS = [
  'rows',
  'reported',
  'shadows',
  'by-time',
  'by-agent',
  'differing',
  'tally-compared',
  'tally-differing',
];

/** The mark of a decision that is for no agent. */
export const NO_AGENT = '-';

const WRITE = `
local function keep_shadow(id, member, shadow, tally, differs)
  if redis.call('HSETNX', KEYS[3], id, shadow) == 0 then return 0 end
  if differs == '1' then redis.call('ZADD', KEYS[6], 0, member) end
  redis.call('HINCRBY', KEYS[7], tally, 1)
  redis.call('HINCRBY', KEYS[8], tally, differs)
  return 1
end
`;

const LET_GO = `
local function let_go(members)
  if #members == 0 then return 0 end
  local ids, of_agents = {}, {}
  for i, member in ipairs(members) do ids[i] = string.match(member, ':(.*)') end
  for i, row in ipairs(redis.call('HMGET', KEYS[1], unpack(ids))) do
    of_agents[i] = (row and string.match(row, '^%S+') or '${NO_AGENT}') .. '/' .. members[i]
  end
  for key = 1, 3 do redis.call('HDEL', KEYS[key], unpack(ids)) end
  redis.call('ZREM', KEYS[4], unpack(members))
  redis.call('ZREM', KEYS[5], unpack(of_agents))
  redis.call('ZREM', KEYS[6], unpack(members))
  return #members
end
`;

/**
 * ARGV: how many are kept; then of each decision its id, member, agent, row, outcome or nothing, and its shadow or
 * nothing with its tally and whether it differs.
 */
export const APPEND = redisScript(`${WRITE} ${LET_GO}
for i = 2, #ARGV, 8 do
  local id, member, agent, row, reported, shadow = unpack(ARGV, i, i + 5)
  if redis.call('HSETNX', KEYS[1], id, row) == 1 then
    redis.call('ZADD', KEYS[4], 0, member)
    if agent ~= '${NO_AGENT}' then redis.call('ZADD', KEYS[5], 0, agent .. '/' .. member) end
    if reported ~= '' then redis.call('HSET', KEYS[2], id, reported) end
    if shadow ~= '' then keep_shadow(id, member, shadow, ARGV[i + 6], ARGV[i + 7]) end
  end
end
local too_many = math.min(redis.call('ZCARD', KEYS[4]) - tonumber(ARGV[1]), ${2 * SLICE})
if too_many > 0 then let_go(redis.call('ZRANGE', KEYS[4], 0, too_many - 1)) end`);

/** ARGV: the id, the outcome. */
export const REPORT = redisScript(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2])`);

/** ARGV: as of keep_shadow(). */
export const KEEP_SHADOW = redisScript(`${WRITE}
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
return keep_shadow(unpack(ARGV))`);

const READ = `
local function read(ids)
  if #ids == 0 then return {} end
  local found = {}
  for key = 1, 3 do
    for i, value in ipairs(redis.call('HMGET', KEYS[key], unpack(ids))) do found[3 * (i - 1) + key] = value or '' end
  end
  return found
end
`;

/** ARGV: the id. Of a decision three texts: its row, its outcome or nothing, its shadow or nothing. */
export const FIND = redisScript(`${READ} return read(ARGV)`);

/** ARGV: the key of the order, how it is read, both ends, how many. */
export const PAGE = redisScript(`${READ}
local ids = {}
for i, member in ipairs(redis.call(ARGV[2], KEYS[tonumber(ARGV[1])], ARGV[3], ARGV[4], 'LIMIT', 0, ARGV[5])) do
  ids[i] = string.match(member, ':(.*)')
end
return read(ids)`);

/** ARGV: a cursor. The next one, then of each tally its name and both counts. */
export const TALLIES = redisScript(`
local next, fields = unpack(redis.call('HSCAN', KEYS[7], ARGV[1], 'COUNT', ${SLICE}))
local found = {next}
for i = 1, #fields, 2 do
  found[#found + 1] = fields[i]
  found[#found + 1] = fields[i + 1]
  found[#found + 1] = redis.call('HGET', KEYS[8], fields[i])
end
return found`);

/** ARGV: of each tally its name and both counts. */
export const PUT_TALLIES = redisScript(`
for i = 1, #ARGV, 3 do
  redis.call('HSET', KEYS[7], ARGV[i], ARGV[i + 1])
  redis.call('HSET', KEYS[8], ARGV[i], ARGV[i + 2])
end`);

/** ARGV: tallies. */
export const LET_GO_OF_TALLIES = redisScript(`
for key = 7, 8 do redis.call('HDEL', KEYS[key], unpack(ARGV)) end`);

/** ARGV: the member before which all go. How many went. */
export const PRUNE = redisScript(`${LET_GO}
return let_go(redis.call('ZRANGEBYLEX', KEYS[4], '-', ARGV[1], 'LIMIT', 0, ${SLICE}))`);
