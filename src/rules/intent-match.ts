import type { IntentPattern } from '../manifest/intent-pattern.js';

/** The form in which rules look at an intent, so that width and case do not count: NFKC, lower case. */
export function foldedIntent(intent: string): string {
  return intent.normalize('NFKC').toLowerCase();
}

/** Whether a pattern finds something in a folded intent. */
export function findsIn(pattern: IntentPattern, folded: string): boolean {
  return pattern.kind === 'text' ? folded.includes(pattern.text) : pattern.expression.test(folded);
}
