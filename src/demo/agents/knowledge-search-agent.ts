import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { LANGUAGES, languageOf } from '../asker-language.js';
import { type CalendarDate, calendarDate, currentDate } from '../calendar-date.js';
import { integer, oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import { type RecordNumber, requiredNumber } from '../record-number.js';
import { rounded } from '../rows.js';
import { documentOf, outdated, searchSections } from './document-library.js';

const DOCUMENT_ID: RecordNumber = {
  field: 'document_id',
  pattern: /KB-\d{3}(?!\d)/,
  expected: 'a document number such as KB-102',
};
/** A section with less of what was asked is about something else. */
const LEAST_SCORE = 0.25;
const DEFAULT_LIMIT = 5;
const YEAR_DAYS = 365;
const EXCERPT_CHARACTERS = 120;

/** Searches the wiki of a file. */
export function createKnowledgeSearchAgent(today: () => CalendarDate = currentDate): AgentProgram {
  return new Map([
    ['search-documents', searchDocuments],
    ['open-document', openDocument],
    ['outdated-documents', (task: AgentTask) => outdatedDocuments(task, today())],
  ]);
}

function searchDocuments({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    query: optional(text),
    language: optional(oneOf(LANGUAGES)),
    limit: optional(integer(1, 20)),
  });
  const query = fields.query ?? intent;
  if (query.trim() === '') throw refusal('/query', 'something to search for', fields.query);
  const hits = searchSections(query)
    .filter(({ score }) => score >= LEAST_SCORE)
    .filter(({ document }) => fields.language === undefined || document.language === fields.language)
    .slice(0, fields.limit ?? DEFAULT_LIMIT)
    .map(({ document, section, score }) => ({
      document_id: document.id,
      title: document.title,
      heading: section.heading,
      excerpt: section.text.slice(0, EXCERPT_CHARACTERS),
      score: rounded(score),
    }));
  const [best] = hits;
  const said =
    best === undefined
      ? { zh: '知识库里没有找到相关内容。', en: 'Nothing in the wiki fits.' }
      : {
          zh: `最相关的是 ${best.document_id}《${best.title}》「${best.heading}」:${best.excerpt}`,
          en: `${best.document_id} "${best.title}", ${best.heading}: ${best.excerpt}`,
        };
  return { result: { query, hits }, reply: said[languageOf(query)] };
}

function openDocument(task: AgentTask): TaskAnswer {
  const id = requiredNumber(task, DOCUMENT_ID);
  const fields = readPayload(task.payload, { section: optional(text) });
  const document = documentOf(id);
  if (document === undefined) throw refusal('/document_id', 'the number of a document', id);
  const { title, owner, updated_on, sections } = document;
  const outline = sections.map(({ heading }) => heading);
  const wanted = fields.section?.toLowerCase();
  const shown = sections.filter(({ heading }) => wanted === undefined || heading.toLowerCase() === wanted);
  if (shown.length === 0) throw refusal('/section', `one of ${outline.join(', ')}`, fields.section);
  const said = {
    zh: `《${title}》(${owner},${updated_on} 更新)`,
    en: `${title} (${owner}, updated on ${updated_on})`,
  };
  return {
    result: { document_id: id, title, owner, updated_on, outline, sections: shown },
    reply: [
      said[languageOf(task.intent || title)],
      ...shown.map(({ heading, text: body }) => `${heading}: ${body}`),
    ].join('\n'),
  };
}

function outdatedDocuments({ intent, payload }: AgentTask, today: CalendarDate): TaskAnswer {
  const fields = readPayload(payload, {
    older_than_days: optional(integer(1, 10_000)),
    owner: optional(text),
    as_of: optional(calendarDate),
  });
  const asOf = fields.as_of ?? today;
  const days = fields.older_than_days ?? YEAR_DAYS;
  const documents = outdated(asOf, days)
    .filter(({ owner }) => fields.owner === undefined || owner === fields.owner)
    .map(({ id, title, owner, age }) => ({ document_id: id, title, owner, age_days: age }));
  const listed = documents.map(({ document_id, title, age_days }) => `${document_id} ${title} (${age_days})`);
  const said = {
    zh: `超过 ${days} 天没有更新的文档(括号内为天数):${listed.join('、') || '无'}。`,
    en: `Not updated for more than ${days} days (days in brackets): ${listed.join(', ') || 'none'}.`,
  };
  return { result: { as_of: asOf, older_than_days: days, documents }, reply: said[languageOf(intent)] };
}
