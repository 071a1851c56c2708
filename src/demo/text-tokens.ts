import { languageOf } from './asker-language.js';

/** Words of Latin script and digits, and pairs of Chinese characters (a lone one as itself). */
export function tokensOf(text: string): ReadonlySet<string> {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('wi-fi', 'wifi')
    .replaceAll(/['’]s\b/g, ' is');
  const tokens = new Set<string>();
  for (const [run] of folded.matchAll(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu)) {
    if (languageOf(run) === 'en' || run.length === 1) tokens.add(run);
    else for (let at = 0; at + 1 < run.length; at += 1) tokens.add(run.slice(at, at + 2));
  }
  return tokens;
}
