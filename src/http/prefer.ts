/** A quoted value, with what is escaped in it; the last may lack its end. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)/g;

/** Whether a `prefer` header (RFC 7240) asks for `respond-async`. What it asks for besides is passed over. */
export function prefersAsync(header: string | undefined): boolean {
  if (header === undefined) return false;
  const preferences = header.replace(QUOTED, '""').split(',');
  return preferences.some((preference) => /^\s*respond-async\s*(;|$)/i.test(preference));
}
