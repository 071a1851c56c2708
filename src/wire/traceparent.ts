const SHAPE =
  /^(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<parent>[0-9a-f]{16})-[0-9a-f]{2}(?<rest>-[\x21-\x7e]*)?$/;

/**
 * A `traceparent` header where it follows W3C Trace Context (section 3.2), else undefined: a header that
 * cannot be read must start a new trace, never fail the request.
 */
export function readTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const fields = SHAPE.exec(header)?.groups;
  if (fields === undefined || fields.version === 'ff') return undefined;
  // Version 00 ends after the flags; only later versions may append fields.
  if (fields.version === '00' && fields.rest !== undefined) return undefined;
  const allZero = (text: string | undefined) => text === undefined || /^0+$/.test(text);
  return allZero(fields.trace) || allZero(fields.parent) ? undefined : header;
}
