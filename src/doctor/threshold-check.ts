import type { OverlapFinder } from '../overlaps/overlap-finder.js';
import type { Agent, CatalogueSnapshot } from '../registry/catalogue.js';
import { capabilityDigests } from '../retrieval/capability-digest.js';
import type { Weights } from '../routing/weights.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { DoctorCheck, Found } from './doctor.js';

/** A catalogue of which this share is another by now is another one. */
const ANOTHER_CATALOGUE = 0.2;
/** Agents with something new that are held against the others in one round: each takes a second at most. */
const MOST_COMPARED = 20;

const TUNE_AGAIN = 'Tune again: agent-reach tune.';

interface Sources {
  readonly catalogue: () => CatalogueSnapshot;
  /** Those in force. */
  readonly weights: () => Weights;
  readonly overlaps: Pick<OverlapFinder, 'inPassing'>;
}

/** What weights were tuned on beside what is there now: digests by `agent_name/id`. */
interface ThenAndNow {
  readonly then: ReadonlyMap<string, string>;
  readonly now: ReadonlyMap<string, string>;
}

/** Thresholds that were tuned on another catalogue than the one that is there now. */
export function doubtfulThresholds({ catalogue, weights, overlaps }: Sources): DoctorCheck {
  return {
    name: 'doubtful_thresholds',
    async examine() {
      const inForce = weights();
      const { tuned, thresholds } = inForce;
      if (tuned === undefined && Object.keys(thresholds.by_capability).length === 0) return [];
      const agents = [...catalogue().agents.values()];
      const now = await capabilityDigests(agents.map(({ manifest }) => manifest));
      const then = new Map(Object.entries(tuned?.capabilities ?? {}));
      const own = ownFindings(inForce, { then, now });
      if (tuned === undefined) return own;
      const share = shareOfOthers({ then, now });
      if (share >= ANOTHER_CATALOGUE) return [...own, anotherCatalogue(inForce, share)];
      const isNew = ({ manifest: { agentName, capabilities } }: Agent) =>
        capabilities.some(({ id }) => !then.has(capabilityKey(agentName, id)));
      const compared = agents.filter(isNew).slice(0, MOST_COMPARED);
      return [...own, ...(await newRivals(compared, inForce, then, overlaps))];
    },
  };
}

/** Thresholds of capabilities that are gone, or not what they were. */
function ownFindings({ thresholds, version }: Weights, { then, now }: ThenAndNow): Found[] {
  return Object.keys(thresholds.by_capability).flatMap((subject): Found[] => {
    if (!now.has(subject)) {
      const sentence = `The weights ${version} have a threshold for ${subject}, which is not in the catalogue.`;
      return [{ severity: 'note', subject, sentence, advice: 'Publish it again, or tune without it.' }];
    }
    if (!then.has(subject) || then.get(subject) === now.get(subject)) return [];
    const sentence = `${subject} has changed since its threshold in the weights ${version} was tuned.`;
    return [{ severity: 'warning', subject, sentence, advice: TUNE_AGAIN }];
  });
}

/** Of all capabilities that were or are there, the share that is not the same then and now. */
function shareOfOthers({ then, now }: ThenAndNow): number {
  const all = new Set([...then.keys(), ...now.keys()]);
  const others = [...all].filter((key) => then.get(key) !== now.get(key));
  return all.size === 0 ? 0 : others.length / all.size;
}

function anotherCatalogue({ version }: Weights, share: number): Found {
  const sentence = `The weights ${version} were tuned on another catalogue: ${Math.round(100 * share)} % of the capabilities are new, changed or gone.`;
  return { severity: 'warning', subject: version, sentence, advice: TUNE_AGAIN };
}

/** New capabilities that take intents from, or lose them to, one that has a threshold. */
async function newRivals(
  agents: readonly Agent[],
  { thresholds, version }: Weights,
  then: ReadonlyMap<string, string>,
  overlaps: Sources['overlaps'],
): Promise<Found[]> {
  if (Object.keys(thresholds.by_capability).length === 0) return [];
  const found: Found[] = [];
  for (const agent of agents) {
    for (const { capability, other } of (await overlaps.inPassing(agent)) ?? []) {
      if (then.has(capability) || !Object.hasOwn(thresholds.by_capability, other)) continue;
      const sentence = `${capability} is new since the weights ${version} were tuned, and overlaps with ${other}, which has a threshold there.`;
      found.push({ severity: 'warning', subject: other, sentence, advice: TUNE_AGAIN });
    }
  }
  return found;
}
