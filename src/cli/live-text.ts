import { capabilityKey } from '../wire/capability-key.js';
import type { Change, Gap, Lost, WatchedDecision } from '../wire/live.js';
import type { Candidate } from '../wire/route.js';
import { CANDIDATE_COLUMNS, candidateRow, comparison } from './decision-text.js';
import { timeOf } from './local-time.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

/** Candidates beyond the most relevant are not read while decisions go by. */
const SHOWN_CANDIDATES = 8;
const BAR_WIDTH = 10;
const INDENT = '  ';

const COLUMNS: readonly Column[] = [{ heading: 'share', align: 'left' }, ...CANDIDATE_COLUMNS];

function bar(confidence: number): string {
  return '#'.repeat(Math.round(confidence * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
}

/** Those of the highest relevance, in the order of the decision: what a filter took out of the running is among them. */
function mostRelevant(candidates: readonly Candidate[]): readonly Candidate[] {
  const best = candidates.toSorted((a, b) => b.relevance - a.relevance).slice(0, SHOWN_CANDIDATES);
  return candidates.filter((candidate) => best.includes(candidate));
}

function candidateLines(candidates: readonly Candidate[]): string[] {
  const shown = mostRelevant(candidates);
  if (shown.length === 0) return [];
  const rows = shown.map((candidate) => [bar(candidate.confidence), ...candidateRow(candidate)]);
  const rest = candidates.length - shown.length;
  return [...table(COLUMNS, rows).trimEnd().split('\n'), ...(rest > 0 ? [`and ${rest} less relevant`] : [])];
}

function outcomeLine(decision: WatchedDecision): string {
  const { outcome, targetAgent, capabilityId, instanceId, timingMs } = decision;
  const target = targetAgent === null ? '' : ` -> ${capabilityKey(targetAgent, capabilityId ?? '?')}`;
  const instance = instanceId === null ? '' : ` (${instanceId})`;
  return `${outcome}${printable(target + instance)}  ${comparison(decision)}  ${timingMs.total.toFixed(1)} ms`;
}

/** A decision as it goes by: its intent, its outcome, and the candidates with why they lost. Ends with a newline. */
export function watchedText(decision: WatchedDecision): string {
  const { at, intent, reason, candidates } = decision;
  const lines = [outcomeLine(decision), printable(reason), ...candidateLines(candidates)];
  const asked = intent === null ? '(no intent)' : printable(intent);
  return [`${timeOf(at)}  ${asked}`, ...lines.map((line) => INDENT + line), ''].join('\n');
}

export function lostText({ count }: Lost): string {
  return `(${count} decisions lost: they came faster than they were read)\n`;
}

const moved = ({ from, to }: Change) => `${from ?? 'came'} -> ${to ?? 'went'}`;

/** One line. */
export function changeText(change: Change): string {
  const { at, agent, instance, reason } = change;
  const what = agent === null ? 'service' : `${agent}/${instance}  ${moved(change)}`;
  return printable(`${timeOf(at)}  ${what}  ${reason}`).concat('\n');
}

export function gapText({ fromSeq, toSeq }: Gap): string {
  const which = fromSeq === null ? 'since before the server started' : `${fromSeq} to ${toSeq}`;
  return `(changes lost: ${which})\n`;
}
