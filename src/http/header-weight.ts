/**
 * How much a caller wants what a header of its lists by weight (RFC 9110, section 12.4.2), such as `accept`: 0 to 1,
 * and 0 where it does not name it. Of several `names`, in lower case, the first that stands there counts.
 */
export function weightIn(header: string | undefined, ...names: readonly string[]): number {
  const text = header?.toLowerCase() ?? '';
  // Most callers name nothing of what is asked for here.
  if (!names.some((name) => text.includes(name))) return 0;
  const entries = text.split(',').map((entry) => entry.split(';').map((part) => part.trim()));
  const [entry] = names.flatMap((name) => entries.filter(([listed]) => listed === name));
  if (entry === undefined) return 0;
  const weight = entry.find((part) => part.startsWith('q='));
  return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
}
