/**
 * The http or https URL that a text is; undefined where it is none. Not by `URL.canParse`, which Node takes through a fast
 * path once it is called often, and which says no there to a host with letters such as "ü".
 */
export function httpUrl(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
