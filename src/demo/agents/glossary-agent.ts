import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { LANGUAGES, languageOf } from '../asker-language.js';
import { flag, object, oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import { DOMAINS, type Domain, occurrencesIn, pairsFor, similarTo, type Term, termsOf } from './term-list.js';

const DOMAIN_WORDS: readonly (readonly [Domain, RegExp])[] = [
  ['finance', /financ|account|财务|金融|会计/i],
  ['logistics', /logistic|shipping|物流|仓储/i],
  ['software', /software|软件|开发/i],
  ['sales', /\bsales\b|销售/i],
  ['hr', /\bhr\b|human resources|人事|人力/i],
];

/** The approved Chinese and English terms of a file. */
export const glossaryAgent: AgentProgram = new Map([
  ['look-up-term', lookUpTerm],
  ['translate-terms', translateTerms],
  ['list-domain-terms', listDomainTerms],
]);

function lookUpTerm({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, { term: optional(text), domain: optional(oneOf(DOMAINS)) });
  const term = fields.term ?? termIn(intent);
  if (term === undefined) throw refusal('/term', 'the term to look up', undefined);
  const translations = pairsFor(term).filter(
    ({ domain }) => fields.domain === undefined || domain === fields.domain,
  );
  const found = translations.length > 0;
  const similar = found ? [] : similarTo(term);
  const target = languageOf(term) === 'zh' ? 'en' : 'zh';
  const listed = translations.map((pair) => `${pair[target]} (${pair.domain})`).join(', ');
  const chinese = languageOf(intent || term) === 'zh';
  return {
    result: { term, found, translations, similar },
    reply: found
      ? `${term}: ${listed}`
      : chinese
        ? `术语表里没有「${term}」。${similar.length > 0 ? `相近的有:${similar.join('、')}。` : ''}`
        : `"${term}" is not in the glossary.${similar.length > 0 ? ` Similar: ${similar.join(', ')}.` : ''}`,
  };
}

function translateTerms({ payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    text,
    target: optional(oneOf(LANGUAGES)),
    options: optional(object({ keep_original: optional(flag) })),
  });
  const target = fields.target ?? (languageOf(fields.text) === 'zh' ? 'en' : 'zh');
  const replaced: { from: string; to: string; domain: Domain }[] = [];
  let translated = '';
  let done = 0;
  for (const { at, length, term } of occurrencesIn(fields.text, target === 'zh' ? 'en' : 'zh')) {
    const original = fields.text.slice(at, at + length);
    translated += fields.text.slice(done, at) + term[target];
    if (fields.options?.keep_original) translated += ` (${original})`;
    replaced.push({ from: original, to: term[target], domain: term.domain });
    done = at + length;
  }
  translated += fields.text.slice(done);
  return { result: { text: translated, target, replaced }, reply: translated };
}

function listDomainTerms({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, { domain: optional(oneOf(DOMAINS)) });
  const domain = fields.domain ?? DOMAIN_WORDS.find(([, words]) => words.test(intent))?.[0];
  if (domain === undefined) throw refusal('/domain', `one of ${DOMAINS.join(', ')}`, undefined);
  const terms = termsOf(domain);
  return {
    result: { domain, count: terms.length, terms },
    reply: terms.map(({ zh, en }: Term) => `${zh} = ${en}`).join('\n'),
  };
}

/** What a sentence asks about: what it puts in quotes, else the longest known term in it. */
function termIn(intent: string): string | undefined {
  const quoted = intent.match(/["“「『]([^"”」』]{1,200})["”」』]/)?.[1];
  if (quoted !== undefined) return quoted;
  return (['zh', 'en'] as const)
    .flatMap((language) => occurrencesIn(intent, language).map(({ term }) => term[language]))
    .toSorted((a, b) => b.length - a.length)[0];
}
