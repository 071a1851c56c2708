/** What one replica tells on one channel at one time. */
export interface BusEnvelope {
  readonly from: string;
  /** Counts what a replica sends on a channel: who misses a number has missed messages. */
  readonly number: number;
  readonly messages: readonly unknown[];
}

/** `messages`: JSON texts. */
export function envelopeText(from: string, number: number, messages: readonly string[]): string {
  return `{"from":${JSON.stringify(from)},"number":${number},"messages":[${messages.join(',')}]}`;
}

/** Undefined where it is none. */
export function readEnvelope(text: string): BusEnvelope | undefined {
  try {
    const { from, number, messages } = JSON.parse(text);
    const isOne = typeof from === 'string' && Number.isSafeInteger(number) && Array.isArray(messages);
    return isOne ? { from, number, messages } : undefined;
  } catch {
    return undefined;
  }
}
