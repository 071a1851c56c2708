import { quoted } from '../errors.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { ChangedIntent, Decided, WouldChange } from '../wire/preview.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';

/** More are for `--json`. */
const MOST_SHOWN = 50;

/** Whether an intent finds nobody who does it. */
const isLost = ({ outcome }: Decided) => outcome === 'human' || outcome === 'unreachable';

function placeOf({ outcome, targetAgent, capabilityId, confidence }: Decided): string {
  const sure = `(${confidence.toFixed(2)})`;
  const key = targetAgent === null ? undefined : capabilityKey(targetAgent, capabilityId ?? '?');
  switch (outcome) {
    case 'routed':
      return `${key} ${sure}`;
    case 'fallback':
      return `${key} as the fallback ${sure}`;
    case 'clarify':
      return key === undefined ? `a question between several ${sure}` : `a question for ${key} ${sure}`;
    case 'unreachable':
      return `nowhere: ${key} cannot be reached`;
    case 'human':
      return `nobody: none is sure enough ${sure}`;
  }
}

function changeLine({ intent, times, before, after }: ChangedIntent): string {
  const often = times === 1 ? 'once' : `${times} times`;
  const mark = isLost(after) ? 'warning' : 'change';
  return `${mark}: ${quoted(intent)} (${often}) would go to ${placeOf(after)}; now ${placeOf(before)}`;
}

/** What would happen to recorded intents, for a person. Ends with a newline. */
export function wouldChangeText({ since, asked, changed, leftOut }: WouldChange, hours: number): string {
  const lost = changed.filter(({ before, after }) => isLost(after) && !isLost(before)).length;
  const span = since === null ? `the last ${hours} h` : `the time since ${momentOf(since)}`;
  const what = `${asked} different ${asked === 1 ? 'intent' : 'intents'} of ${span}`;
  const lines = [
    ...changed.slice(0, MOST_SHOWN).map(changeLine),
    ...(changed.length > MOST_SHOWN ? [`and ${changed.length - MOST_SHOWN} more; --json gives all`] : []),
    asked === 0
      ? `no intents were recorded in ${span}`
      : `${changed.length === 0 ? 'none' : changed.length} of ${what} would go elsewhere${lost > 0 ? `, ${lost} of them to nobody` : ''}`,
    ...(leftOut > 0 ? [`${leftOut} could not be decided`] : []),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
