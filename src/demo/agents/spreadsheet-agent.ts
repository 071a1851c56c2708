import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { languageOf } from '../asker-language.js';
import { flag, object, oneOf, optional, payloadInvalid, readPayload } from '../payload-reader.js';
import {
  CSV_DELIMITERS,
  detectFormat,
  readTable,
  rowsOf,
  TABLE_FORMATS,
  type TableFormat,
  tableContent,
  typedCell,
  writeTable,
} from './table-formats.js';
import { profileColumns, repeatedRows } from './table-profile.js';

/** How people name a format in a sentence. */
const FORMAT_WORDS: readonly (readonly [TableFormat, RegExp])[] = [
  ['csv', /csv|comma.separated|逗号分隔/gi],
  ['tsv', /tsv|tab.separated|制表符/gi],
  ['json', /json/gi],
  ['markdown', /markdown|\bmd\b/gi],
];

/** Converts tables between formats, and tells what is in them. */
export const spreadsheetAgent: AgentProgram = new Map([
  ['convert-table', convertTable],
  ['profile-table', profileTable],
]);

function convertTable(task: AgentTask): TaskAnswer {
  const { table, from, fields } = readTask(task);
  const to = fields.to ?? namedTarget(task.intent, from) ?? (from === 'json' ? 'csv' : 'json');
  const typed = fields.options?.typed ?? true;
  const converted =
    to === 'json'
      ? { rows: rowsOf(typed ? { ...table, rows: table.rows.map((cells) => cells.map(typedCell)) } : table) }
      : { content: writeTable(table, to, fields.options?.delimiter) };
  const { columns, warnings } = table;
  const rowCount = table.rows.length;
  return {
    result: { from, to, columns, row_count: rowCount, ...converted, warnings },
    reply:
      languageOf(task.intent) === 'zh'
        ? `已把 ${rowCount} 行、${columns.length} 列从 ${from} 转成 ${to}。`
        : `Converted from ${from} to ${to}; rows: ${rowCount}, columns: ${columns.length}.`,
  };
}

function profileTable(task: AgentTask): TaskAnswer {
  const { table, from } = readTask(task);
  const columns = profileColumns(table);
  const duplicates = repeatedRows(table);
  const gaps = columns.filter(({ empty }) => empty > 0).map(({ name, empty }) => `${name} (${empty})`);
  return {
    result: {
      from,
      row_count: table.rows.length,
      columns,
      duplicate_rows: duplicates,
      warnings: table.warnings,
    },
    reply:
      languageOf(task.intent) === 'zh'
        ? `共 ${table.rows.length} 行,重复 ${duplicates.length} 行;有空值的列:${gaps.join('、') || '无'}。`
        : `Rows: ${table.rows.length}, repeated: ${duplicates.length}; columns with gaps: ${gaps.join(', ') || 'none'}.`,
  };
}

function readTask({ intent, payload }: AgentTask) {
  const fields = readPayload(payload ?? pastedBehind(intent), {
    content: tableContent,
    from: optional(oneOf(TABLE_FORMATS)),
    to: optional(oneOf(TABLE_FORMATS)),
    options: optional(object({ delimiter: optional(oneOf(CSV_DELIMITERS)), typed: optional(flag) })),
  });
  const from = typeof fields.content === 'string' ? (fields.from ?? detectFormat(fields.content)) : 'json';
  const read = readTable(fields.content, from, fields.options?.delimiter, '/content');
  if ('faults' in read) throw payloadInvalid(read.faults);
  return { table: read.value, from, fields };
}

/** A table that was pasted into the sentence itself, from its second line on. */
function pastedBehind(intent: string): { content: string } | null {
  const lineEnd = intent.indexOf('\n');
  return lineEnd === -1 ? null : { content: intent.slice(lineEnd + 1) };
}

/** The format that a sentence asks for: the last one it names that the table is not already in. */
function namedTarget(intent: string, from: TableFormat): TableFormat | undefined {
  const [sentence = ''] = intent.split('\n', 1);
  return FORMAT_WORDS.filter(([format]) => format !== from)
    .flatMap(([format, words]) => [...sentence.matchAll(words)].map((match) => ({ format, at: match.index })))
    .toSorted((a, b) => a.at - b.at)
    .at(-1)?.format;
}
