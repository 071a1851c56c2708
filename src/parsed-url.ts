/**
 * The URL that a text is; undefined where it is none. In place of `URL.canParse`, which Node takes through a fast path once
 * it is called often, and which says no there to a host with letters such as "ü".
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
