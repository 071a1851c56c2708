/** A piece of a page in which every text from elsewhere is escaped. */
export class Markup {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** What may stand in a template: texts are escaped, numbers rounded to hundredths, lists put one after the other. */
export type Content = string | number | Markup | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function sourceOf(content: Content): string {
  if (content instanceof Markup) return content.source;
  if (typeof content === 'number') return String(Math.round(content * 100) / 100);
  if (typeof content === 'string') return content.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');
  return content.map(sourceOf).join('');
}

/** HTML or SVG as a template. What is put in is safe between tags, and in attributes that stand in double quotes. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...contents.map(sourceOf)));
}

export const NOTHING: Markup = html``;

/** A name or an intent as somebody wrote it: whatever its direction, it turns nothing around it. */
export function quoted(text: string, lang?: string): Markup {
  return lang === undefined ? html`<bdi>${text}</bdi>` : html`<bdi lang="${lang}">${text}</bdi>`;
}
