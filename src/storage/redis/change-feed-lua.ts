/** How many changes are kept for those that missed some, at least. */
const KEPT = 10_000;

/**
 * For scripts that change what every replica has to follow: `tell(version, feed, kind, agent, of)` takes the next
 * number of the team's sequence, appends the change to its feed in the same step, and returns the number. `version` and
 * `feed` are the keys of both; `of` is the version of an agent's manifest, none where it was removed, or the id of an
 * instance.
 */
export const TELL_CHANGE = `
local function tell(version, feed, kind, agent, of)
  local seq = redis.call('INCR', version)
  redis.call('XADD', feed, 'MAXLEN', '~', ${KEPT}, seq .. '-0',
    'kind', kind, 'agent', agent or '', 'of', of or '')
  return seq
end
`;

/** The parts of the two keys behind the team: the sequence, and the feed. */
export const VERSION_KEY = 'version';
export const FEED_KEY = 'feed';
