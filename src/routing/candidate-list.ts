import { keyOf } from '../retrieval/indexed-capability.js';
import type { Candidate } from '../wire/route.js';
import { similarityOf } from './features.js';
import type { Group } from './groups.js';
import { type RankedMember, rankMember, rankMembers } from './utility.js';
import type { DecideInput, Verdict } from './verdict.js';

/** A score of 0 with a confidence of 0: what was never in the running. */
const OUT_OF_THE_RUNNING = 0;

function toCandidate(member: RankedMember, confidence: number, explain: boolean): Candidate {
  const { indexed, features, relevance, coverage } = member.candidate;
  return {
    agentName: indexed.agent.manifest.agentName,
    capabilityId: indexed.capability.id,
    similarity: similarityOf(features),
    lexical: features.lexical,
    coverage,
    relevance,
    confidence,
    reachability: member.reachability,
    load: member.load,
    priority: indexed.capability.priority,
    score: confidence * member.utility,
    ...(explain ? { signals: { ...features, utility: member.utility } } : {}),
  };
}

function isChosen({ candidate }: RankedMember, verdict: Verdict): boolean {
  const { targetAgent, capabilityId, outcome } = verdict;
  return outcome === 'routed' && candidate.indexed.key === keyOf(targetAgent ?? '', capabilityId ?? '');
}

/** Why a candidate that was in the running was not taken; undefined for the one that was. */
function reasonAgainst(
  member: RankedMember,
  rank: { readonly inBest: boolean; readonly group: Group; readonly best: RankedMember | undefined },
  verdict: Verdict,
  input: DecideInput,
): string | undefined {
  const { candidate, instance, utility } = member;
  const number = (value: number) => value.toFixed(2);
  if (isChosen(member, verdict)) return undefined;
  if (!rank.inBest) {
    const best = input.groups[0]?.relevance ?? 0;
    return `less relevant than the best: ${number(rank.group.relevance)} < ${number(best)}`;
  }
  if (verdict.outcome === 'clarify' && verdict.choices !== undefined) return 'too close to call';
  if (rank.group.confidence < verdict.threshold) {
    return `confidence ${number(rank.group.confidence)} < threshold ${verdict.threshold}`;
  }
  const missing = input.payloadSent ? input.missingOf(candidate.indexed) : [];
  if (missing.length > 0) return `the payload lacks ${missing.join(', ')}`;
  if (instance === undefined) return 'no instance can take work now';
  const best = rank.best;
  if (best !== undefined && best.utility > utility) {
    return `equivalent to the chosen one, utility ${number(utility)} < ${number(best.utility)}`;
  }
  return 'equivalent to the chosen one, which goes first by priority, relevance or name';
}

/** The candidates that an answer lists: the best group's members first, then the others, each loser with its reason. */
export function listCandidates(
  input: DecideInput,
  bestMembers: readonly RankedMember[],
  verdict: Verdict,
): Candidate[] {
  const limit = input.explain ? Number.POSITIVE_INFINITY : input.topK;
  const listed: Candidate[] = [];
  for (const [i, group] of input.groups.entries()) {
    if (listed.length >= limit) break;
    const members = i === 0 ? bestMembers : rankMembers(group.members, input.utility);
    const best = members.find((member) => isChosen(member, verdict)) ?? members[0];
    for (const member of members) {
      const reason = reasonAgainst(member, { inBest: i === 0, group, best }, verdict, input);
      const candidate = toCandidate(member, group.confidence, input.explain);
      listed.push(reason === undefined ? candidate : { ...candidate, excludedBy: reason });
    }
  }
  if (!input.explain) return listed.slice(0, limit);
  const filtered = input.filtered.map(({ candidate, reason }) => {
    const member = rankMember(candidate, input.utility);
    return {
      ...toCandidate(member, OUT_OF_THE_RUNNING, true),
      score: OUT_OF_THE_RUNNING,
      excludedBy: reason,
    };
  });
  return [...listed, ...filtered];
}
