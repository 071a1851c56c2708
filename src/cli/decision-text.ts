import { capabilityKey } from '../wire/capability-key.js';
import type { Candidate, Decision } from '../wire/route.js';
import { comparisonText } from './comparison-text.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

const twoDigits = (value: number) => value.toFixed(2);

function target({ targetAgent, capabilityId }: Decision): string {
  return targetAgent === null ? '' : ` ${printable(capabilityKey(targetAgent, capabilityId ?? '?'))}`;
}

/** `confidence 0.91 >= 0.75`. Rounded so that the sign is never contradicted by the digits beside it. */
export function comparison({ confidence, threshold }: Pick<Decision, 'confidence' | 'threshold'>): string {
  const enough = confidence >= threshold;
  const digits = [2, 3, 4, 6].find(
    (count) => Number(confidence.toFixed(count)) >= Number(threshold.toFixed(count)) === enough,
  );
  const [left, right] = [confidence, threshold].map((value) => value.toFixed(digits ?? 17));
  return `confidence ${left} ${enough ? '>=' : '<'} ${right}`;
}

function headline(decision: Decision): string {
  const time = `${decision.timingMs.total.toFixed(1)} ms`;
  return `${decision.outcome}${target(decision)}  ${comparison(decision)}  ${time}`;
}

/** How a clarify is answered: by its route_id where a server remembers it, else by naming the capability. */
export type AnswerBy = 'route-id' | 'capability';

function choiceLines({ choices = [], routeId }: Decision, answerBy: AnswerBy): string[] {
  const lines = choices.map(({ agentName, capabilityId, name, confidence }) =>
    printable(`  ${capabilityKey(agentName, capabilityId)}  ${twoDigits(confidence)}  ${name}`),
  );
  const how =
    answerBy === 'route-id'
      ? `--route-id ${printable(routeId)} --choice AGENT/CAPABILITY`
      : '--agent AGENT --capability CAPABILITY';
  return lines.length === 0 ? [] : [...lines, `To choose, ask again with ${how}`];
}

function neededLine({ missingFields = [] }: Decision): string[] {
  const fields = missingFields.map(printable).join(', ');
  return fields === '' ? [] : [`It will need ${fields} in the payload`];
}

/** The reason has named the fields. */
function fullerLine({ missingFields = [], routeId }: Decision, answerBy: AnswerBy): string[] {
  if (missingFields.length === 0) return [];
  const which = answerBy === 'route-id' ? `--route-id ${printable(routeId)} and ` : '';
  return [`Ask again with ${which}a fuller --payload`];
}

function nextStep(decision: Decision, answerBy: AnswerBy): string[] {
  const reason = printable(decision.reason);
  switch (decision.outcome) {
    case 'routed':
      return [...(decision.ruleId === undefined ? [] : [reason]), ...neededLine(decision)];
    case 'clarify':
      return [reason, ...choiceLines(decision, answerBy), ...fullerLine(decision, answerBy)];
    case 'unreachable': {
      const { retryAfterMs } = decision;
      const again = retryAfterMs === undefined ? [] : [`Try again in ${Math.ceil(retryAfterMs / 1_000)} s`];
      return [reason, ...again];
    }
    case 'human':
      return decision.ticketId ? [reason, `Ticket ${printable(decision.ticketId)}`] : [reason];
    case 'fallback':
      return [reason];
  }
}

/** A decision as a person reads it: one line that says it all, then what there is to do. Ends with a newline. */
export function decisionText(decision: Decision, answerBy: AnswerBy): string {
  return [headline(decision), ...nextStep(decision, answerBy)].map((line) => `${line}\n`).join('');
}

export const CANDIDATE_COLUMNS: readonly Column[] = [
  { heading: 'capability', align: 'left' },
  { heading: 'sim', align: 'right' },
  { heading: 'lex', align: 'right' },
  { heading: 'cov', align: 'right' },
  { heading: 'conf', align: 'right' },
  { heading: 'reach', align: 'right' },
  { heading: 'prio', align: 'right' },
  { heading: 'score', align: 'right' },
  { heading: 'why not', align: 'left' },
];

export function candidateRow(candidate: Candidate): string[] {
  return [
    capabilityKey(candidate.agentName, candidate.capabilityId),
    twoDigits(candidate.similarity),
    twoDigits(candidate.lexical),
    candidate.coverage === null ? '-' : twoDigits(candidate.coverage),
    twoDigits(candidate.confidence),
    twoDigits(candidate.reachability),
    String(candidate.priority),
    twoDigits(candidate.score),
    candidate.excludedBy ?? '',
  ];
}

/**
 * Every candidate with what it was judged by and, for each loser, why; then the best beside the next, signal by
 * signal. Ends with a newline.
 */
export function explanation({ candidates, signalWeights }: Decision): string {
  const [best, next] = candidates;
  const list = table(CANDIDATE_COLUMNS, candidates.map(candidateRow));
  return best && next && signalWeights ? `${list}\n${comparisonText(best, next, signalWeights)}` : list;
}
