const begin = (name: string) => `<!-- generated: ${name} -->`;
const end = (name: string) => `<!-- end: ${name} -->`;

/**
 * A Markdown document with what stands between its two marks of `name` replaced by generated content.
 * @throws Error where the marks are not there exactly once and in order: then nothing may be overwritten.
 */
export function replaceBlock(document: string, name: string, content: string): string {
  const [before, rest, ...moreBegins] = document.split(begin(name));
  const [, after, ...moreEnds] = (rest ?? '').split(end(name));
  if (before === undefined || after === undefined || moreBegins.length + moreEnds.length > 0) {
    throw new Error(`Expected the marks ${begin(name)} and ${end(name)} once and in this order.`);
  }
  return `${before}${begin(name)}\n\n${content.trim()}\n\n${end(name)}${after}`;
}
