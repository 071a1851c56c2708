import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { languageOf } from '../asker-language.js';
import { calendarDate } from '../calendar-date.js';
import { integer, oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import { rounded } from '../rows.js';
import { causeOf, LEVELS, type Level, type LogFilter, type LogLine, linesOf, SERVICES } from './log-lines.js';
import { ownFrame, parseStackTrace } from './stack-trace.js';

const DEFAULT_LIMIT = 20;

const LEVEL_WORDS: readonly (readonly [Level, RegExp])[] = [
  ['error', /error|exception|报错|错误|异常/i],
  ['warn', /warn|警告|告警/i],
];

const WINDOW = {
  service: optional(oneOf(SERVICES)),
  from: optional(calendarDate),
  to: optional(calendarDate),
};

/** Looks into the logs of a file, and at stack traces. */
export const logInspectionAgent: AgentProgram = new Map([
  ['search-logs', searchLogs],
  ['count-errors', countErrors],
  ['read-stack-trace', readStackTrace],
]);

function searchLogs({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    ...WINDOW,
    level: optional(oneOf(LEVELS)),
    text: optional(text),
    limit: optional(integer(1, 200)),
  });
  const level = fields.level ?? LEVEL_WORDS.find(([, words]) => words.test(intent))?.[0];
  const wanted = fields.text?.toLowerCase() ?? '';
  const lines = linesOf(filterOf(fields, intent))
    .filter((line) => level === undefined || line.level === level)
    .filter(({ message }) => message.toLowerCase().includes(wanted))
    .toReversed();
  const [newest] = lines;
  const example = newest === undefined ? '' : `${newest.at} ${newest.service}: ${newest.message}`;
  const said = {
    zh: `找到 ${lines.length} 行日志。${example && `最新:${example}`}`,
    en: `Log lines found: ${lines.length}. ${example && `The newest: ${example}`}`,
  };
  return {
    result: { total: lines.length, lines: lines.slice(0, fields.limit ?? DEFAULT_LIMIT) },
    reply: said[languageOf(intent)].trim(),
  };
}

function countErrors({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, { ...WINDOW, per: optional(oneOf(['hour', 'day'])) });
  const lines = linesOf(filterOf(fields, intent));
  const services = [...new Set(lines.map(({ service }) => service))]
    .map((service) => figuresOf(service, lines, fields.per ?? 'day'))
    .toSorted((a, b) => b.errors - a.errors);
  const listed = services.map(
    ({ service, errors, error_rate }) => `${service} ${errors} (${rounded(error_rate * 100)}%)`,
  );
  const said = {
    zh: `错误次数(错误率):${listed.join('、') || '无'}。`,
    en: `Errors and error rate: ${listed.join(', ') || 'none'}.`,
  };
  return { result: { services }, reply: said[languageOf(intent)] };
}

function readStackTrace({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, { stack_trace: text, own_code: optional(text) });
  const trace = parseStackTrace(fields.stack_trace);
  if (trace === undefined) {
    throw refusal('/stack_trace', 'a stack trace of JavaScript, Java or Python', fields.stack_trace);
  }
  const { language, exception, message, frames } = trace;
  const frame = ownFrame(trace, fields.own_code);
  const place = frame === undefined ? undefined : `${frame.file}:${frame.line} (${frame.function})`;
  const said = {
    zh: `${exception}${message && `:${message}`}。${place === undefined ? '堆栈里没有自己的代码。' : `出自 ${place}。`}`,
    en: `${exception}${message && `: ${message}`}. ${place === undefined ? 'No frame is in your own code.' : `Thrown in ${place}.`}`,
  };
  return {
    result: { language, exception, message, thrown_in: frame ?? null, frames },
    reply: said[languageOf(intent)],
  };
}

/** The window of a task; the service may be named in the sentence. @throws PayloadError where it ends before it begins. */
function filterOf({ service, from, to }: LogFilter, intent: string): LogFilter {
  if (from !== undefined && to !== undefined && from > to) throw refusal('/to', `a date from ${from} on`, to);
  const sentence = intent.toLowerCase();
  return { service: service ?? SERVICES.find((each) => sentence.includes(each)), from, to };
}

function figuresOf(service: string, all: readonly LogLine[], per: 'hour' | 'day') {
  const lines = all.filter((line) => line.service === service);
  const errors = lines.filter(({ level }) => level === 'error');
  const buckets = counted(
    errors.map(({ at }) => (per === 'hour' ? `${at.slice(0, 13)}:00Z` : at.slice(0, 10))),
  );
  const [mostFrequent] = counted(errors.map(({ message }) => causeOf(message))).toSorted(
    (a, b) => b[1] - a[1],
  );
  return {
    service,
    lines: lines.length,
    errors: errors.length,
    error_rate: rounded(errors.length / lines.length, 4),
    buckets: buckets.map(([start, count]) => ({ start, errors: count })),
    most_frequent: mostFrequent?.[0] ?? null,
  };
}

/** How often each of some words occurs, in the order in which they first do. */
function counted(words: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts];
}
