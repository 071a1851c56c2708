/** An open breaker lets nothing through for 10 s: calls that far apart are trials. */
const APART_MS = 9_000;
/** A trial that begins so shortly before the end of the fault may end after it. */
const TRIAL_MS = 2_000;
const LEAST_CALLS = 10;
/** A breaker that closed lets so many calls through with less time between them. */
const FLOWING_CALLS = 5;

/**
 * What was wrong with a breaker of an instance that failed at everything until a moment, told by when calls came there:
 * first many, then single ones far apart, then many again.
 */
export function faultOfBreaker(times: readonly number[], sickUntilMs: number): string | undefined {
  const gapAfter = (place: number) => (times[place + 1] ?? Number.POSITIVE_INFINITY) - (times[place] ?? 0);
  const opened = times.findIndex((_, place) => gapAfter(place) >= APART_MS);
  if (opened < 0 || (times[opened] ?? 0) > sickUntilMs) return 'did not open';
  if (opened + 1 < LEAST_CALLS) return `opened after ${opened + 1} calls`;
  const trials = times.flatMap((at, place) => (place > opened && at < sickUntilMs - TRIAL_MS ? [place] : []));
  if (trials.length === 0) return 'never let a trial through';
  if (trials.some((place) => gapAfter(place) < APART_MS)) return 'let more than one call through at a trial';
  const flowing = times.filter((at, place) => at >= sickUntilMs && gapAfter(place) < APART_MS);
  return flowing.length < FLOWING_CALLS ? 'did not close' : undefined;
}
