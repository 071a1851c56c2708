import type { Language } from '../asker-language.js';
import { type CalendarDate, daysFrom } from '../calendar-date.js';
import data from '../data/documents.json' with { type: 'json' };
import { searchTexts } from '../text-search.js';

export interface DocumentSection {
  readonly heading: string;
  readonly text: string;
}

/** A page of the company's wiki, as the data file has it. */
export interface WikiDocument {
  readonly id: string;
  readonly title: string;
  readonly language: Language;
  readonly owner: string;
  readonly updated_on: CalendarDate;
  readonly sections: readonly DocumentSection[];
}

export interface SectionHit {
  readonly document: WikiDocument;
  readonly section: DocumentSection;
  /** 0 (exclusive) to 1: the share of what was asked that the section has. */
  readonly score: number;
}

const DOCUMENTS = data as readonly WikiDocument[];
const SECTIONS = DOCUMENTS.flatMap((document) => document.sections.map((section) => ({ document, section })));
const TEXTS = SECTIONS.map(({ document, section }) => `${document.title} ${section.heading} ${section.text}`);

/** Words that say that something is searched for, not what. */
const ASKING =
  /\b(?:search|find|look up|show|is there|the|a|an|for|in|of|on|our|wiki|documents?|knowledge base)\b|有没有|搜一?下|查找|知识库|内部|文档|讲|的/gi;

export function documentOf(id: string): WikiDocument | undefined {
  return DOCUMENTS.find((document) => document.id === id);
}

/** The sections that have words of a query, the best first. */
export function searchSections(query: string): readonly SectionHit[] {
  return searchTexts(TEXTS, query.replaceAll(ASKING, ' ')).flatMap(({ index, score }) => {
    const found = SECTIONS[index];
    return found === undefined ? [] : [{ ...found, score }];
  });
}

/** Documents that have not been updated for more than so many days, the oldest first. */
export function outdated(
  asOf: CalendarDate,
  days: number,
): readonly (WikiDocument & { readonly age: number })[] {
  return DOCUMENTS.map((document) => ({ ...document, age: daysFrom(document.updated_on, asOf) }))
    .filter(({ age }) => age > days)
    .toSorted((a, b) => b.age - a.age);
}
