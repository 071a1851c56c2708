import { NO_LANGUAGE } from '../evaluation/labelled-query.js';
import { shortened } from '../evaluation/shortened.js';
import type { ComparedQuery, QueryAnswer } from '../judging/tune-report.js';
import { printable } from './printable.js';

function answerText({ predicted, right, confidence, sure }: QueryAnswer): string {
  const how = `${right ? 'right' : 'wrong'}, ${sure ? 'acted on' : 'left alone'}`;
  return `${predicted ?? 'nothing'} ${confidence.toFixed(2)} (${how})`;
}

function queryLines({ intent, lang, expected, before, after }: ComparedQuery, place: number): string[] {
  const language = lang === NO_LANGUAGE ? '' : ` (${lang})`;
  return [
    `${place + 1}.${language} ${shortened(intent)}`,
    `   expected ${expected.length === 0 ? 'nothing' : expected.join(' or ')}`,
    `   before ${answerText(before)}`,
    `   after  ${answerText(after)}`,
  ];
}

/** Queries whose answers have changed, under a heading; nothing where there is none. */
export function tunedQueriesText(heading: string, queries: readonly ComparedQuery[]): string {
  if (queries.length === 0) return '';
  const lines = [`${heading}:`, ...queries.flatMap(queryLines)];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
