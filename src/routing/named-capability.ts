import { ReachError } from '../errors.js';
import type { Agent, CatalogueSnapshot } from '../registry/catalogue.js';
import { agentIn, capabilityIn } from '../registry/catalogue-names.js';
import type { CatalogueIndex } from '../retrieval/catalogue-index.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { RouteRequest } from '../wire/route.js';
import type { Found } from './candidate-set.js';
import { filteredBy, hiddenBy } from './filter.js';
import type { Ask, Search } from './read-request.js';
import { type ScoredCandidate, unsearched } from './scored-candidate.js';

interface SearchedCatalogue {
  readonly catalogue: () => CatalogueSnapshot;
  readonly index: CatalogueIndex;
}

/**
 * The caller named whom it wants: no search, no doubt; but nobody whom it may not see or has ruled out itself.
 * @throws ReachError AGENT_UNKNOWN, CAPABILITY_UNKNOWN, INVALID_REQUEST where an agent that is named has several
 */
export function foundByName(ask: Exclude<Ask, Search>, { catalogue, index }: SearchedCatalogue): Found {
  const { agentName } = ask;
  const snapshot = catalogue();
  const capabilityId =
    ask.kind === 'capability' ? ask.capabilityId : onlyCapabilityOf(agentIn(snapshot, agentName));
  const candidate = candidateOf(agentName, capabilityIn(snapshot, agentName, capabilityId).id, index);
  if (candidate === undefined || hiddenBy(candidate.indexed) !== undefined) {
    const key = capabilityKey(agentName, capabilityId);
    throw new ReachError('CAPABILITY_UNKNOWN', `There is no capability ${key}.`);
  }
  const reason = filteredBy(candidate.indexed, ask.request.filter ?? {});
  if (reason !== undefined) return { groups: [], inputs: undefined, filtered: [{ candidate, reason }] };
  const group = { members: [candidate], relevance: 0, confidence: 1, declared: false };
  return { groups: [group], inputs: undefined, filtered: [] };
}

/** The first capability of the agent that takes what is left over; undefined where there is none, or it is ruled out. */
export function fallbackFor(
  { filter = {} }: RouteRequest,
  fallbackAgent: string | null,
  { catalogue, index }: SearchedCatalogue,
): ScoredCandidate | undefined {
  if (fallbackAgent === null) return undefined;
  const [first] = catalogue().agents.get(fallbackAgent)?.manifest.capabilities ?? [];
  const candidate = first && candidateOf(fallbackAgent, first.id, index);
  return candidate && filteredBy(candidate.indexed, filter) === undefined ? candidate : undefined;
}

function candidateOf(agentName: string, capabilityId: string, { capabilities }: CatalogueIndex) {
  const indexed = capabilities.get(capabilityKey(agentName, capabilityId));
  return indexed && unsearched(indexed);
}

function onlyCapabilityOf({ manifest: { agentName, capabilities } }: Agent): string {
  const [only, second] = capabilities;
  if (only !== undefined && second === undefined) return only.id;
  const expected = `an intent, or one of ${capabilities.map(({ id }) => id).join(', ')}`;
  throw new ReachError('INVALID_REQUEST', `${agentName} has several capabilities: expected ${expected}.`, {
    errors: [{ pointer: '/capability_id', expected, received: 'nothing' }],
  });
}
