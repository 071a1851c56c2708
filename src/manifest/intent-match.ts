/** What intents in folded form are looked through for; `text` is folded too. */
export type IntentPattern =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly expression: RegExp };

/** The form in which patterns look at an intent, so that width and case do not count: NFKC, lower case. */
export function foldedIntent(intent: string): string {
  return intent.normalize('NFKC').toLowerCase();
}

/** Whether a pattern finds something in a folded intent. */
export function findsIn(pattern: IntentPattern, folded: string): boolean {
  return pattern.kind === 'text' ? folded.includes(pattern.text) : pattern.expression.test(folded);
}
