/** Of an intent so much is shown. */
const SHOWN_CHARS = 160;

/** An intent as reports show it, cut where it is long. */
export function shortened(intent: string): string {
  const line = intent.trim();
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}
