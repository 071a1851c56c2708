/** A day: what an agent asks for beyond it is not a time to come back but a mistake. */
const LONGEST_MS = 86_400_000;

/**
 * `Retry-After` in ms from now: whole seconds, or an HTTP date (RFC 9110, 10.2.3). Undefined where there is
 * none or it cannot be read.
 */
export function readRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  // A date begins with a weekday; Date.parse alone would read "12.5" as a day in December.
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1_000
    : /^[A-Z][a-z]{2}/.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_MS);
}
