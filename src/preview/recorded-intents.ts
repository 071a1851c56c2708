import { canonicalJson } from '../manifest/canonical-json.js';
import type { PayloadFields } from '../wire/payload-fields.js';
import type { RecordedDecision } from '../wire/records.js';

/** So many different intents are asked again. */
export const MOST_INTENTS = 500;

/** An intent, with what is known of its payload, and how often it was recorded. */
export interface RecordedIntent {
  readonly intent: string;
  readonly payloadFields: PayloadFields;
  readonly times: number;
}

export interface RecordedIntents {
  /** The newest first. */
  readonly intents: readonly RecordedIntent[];
  /** When the oldest decision was made that was looked at; null: all were. */
  readonly since: string | null;
}

/**
 * The different intents of recorded decisions that come newest first, read until they are too many, or `isOver` says
 * that there is no more time. What named its target without an intent is none.
 */
export async function recordedIntents(
  decisions: AsyncIterable<Pick<RecordedDecision, 'at' | 'intent' | 'payloadFields'>>,
  isOver: () => boolean,
): Promise<RecordedIntents> {
  const intents = new Map<string, RecordedIntent>();
  let oldest: string | null = null;
  for await (const { at, intent, payloadFields } of decisions) {
    if (isOver()) return { intents: [...intents.values()], since: oldest ?? at };
    if (intent !== null) {
      const key = canonicalJson([intent, payloadFields]);
      const known = intents.get(key);
      if (known === undefined && intents.size === MOST_INTENTS)
        return { intents: [...intents.values()], since: oldest };
      intents.set(key, { intent, payloadFields, times: (known?.times ?? 0) + 1 });
    }
    oldest = at;
  }
  return { intents: [...intents.values()], since: null };
}
