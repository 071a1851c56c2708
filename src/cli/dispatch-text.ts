import { capabilityKey } from '../wire/capability-key.js';
import type { DispatchAnswer } from '../wire/dispatch.js';
import { decisionText } from './decision-text.js';
import { printable, printableJson } from './printable.js';

function headline({ state, decision, attempts, elapsedMs }: DispatchAnswer): string {
  const asked = attempts.at(-1);
  const agentName = asked?.agentName ?? decision?.targetAgent;
  const capabilityId = asked?.capabilityId ?? decision?.capabilityId;
  const who = agentName ? [capabilityKey(agentName, capabilityId ?? '?')] : [];
  const tried = `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
  return printable([[state, ...who].join(' '), tried, `${elapsedMs.toFixed(0)} ms`].join('  '));
}

/** What the agent says, else its result. */
function saidLines({ reply, result }: DispatchAnswer): string[] {
  if (reply !== undefined) return reply.split('\n').map(printable);
  return result === undefined ? [] : [printableJson(result)];
}

function errorLines({ error, degraded }: DispatchAnswer): string[] {
  if (error === undefined) return [];
  const { code, detail, errors, retryAfterMs } = error;
  const stead = degraded ? 'In place of an answer: ' : '';
  return [
    printable(`${stead}${code}: ${detail}`),
    ...errors.map(({ pointer, expected, received }) =>
      printable(`  ${pointer || 'the whole'}: expected ${expected}, received ${received}`),
    ),
    ...(retryAfterMs === undefined ? [] : [`Try again in ${Math.ceil(retryAfterMs / 1_000)} s`]),
  ];
}

function otherLines({ state, decision, ticketId, sessionUnavailable }: DispatchAnswer): string[] {
  return [
    ...(state === 'handed_off' && decision !== null ? [decisionText(decision, 'route-id').trimEnd()] : []),
    ...(ticketId === undefined ? [] : [`Ticket ${printable(ticketId)}`]),
    ...(sessionUnavailable ? ['The session could not be read or written; it was gone on without'] : []),
  ];
}

/** What became of a request, as a person reads it: one line that says it all, then the answer. Ends with a newline. */
export function dispatchText(answer: DispatchAnswer): string {
  const lines = [headline(answer), ...saidLines(answer), ...errorLines(answer), ...otherLines(answer)];
  return `${lines.join('\n')}\n`;
}
