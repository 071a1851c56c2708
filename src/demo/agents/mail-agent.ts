import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { languageOf } from '../asker-language.js';
import { calendarDate } from '../calendar-date.js';
import {
  fault,
  flag,
  integer,
  listOf,
  oneOf,
  optional,
  type Reader,
  readPayload,
  refusal,
  text,
} from '../payload-reader.js';
import { quotedNumber, type RecordNumber } from '../record-number.js';
import { searchTexts } from '../text-search.js';
import { FOLDERS, isExternal, Mailbox, type MailMessage, openQuestions } from './mailbox.js';

const THREAD_ID: RecordNumber = {
  field: 'thread_id',
  pattern: /T-\d{2}(?!\d)/,
  expected: 'a thread number such as T-03',
};
const IMPORTANCES = ['low', 'normal', 'high'] as const;
const DEFAULT_LIMIT = 10;
/** A message counts as found from this part of the best one's score on. */
const NEAR_BEST = 0.5;

const address: Reader<string> = (value, pointer) =>
  typeof value === 'string' && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(value)
    ? { value }
    : fault(pointer, 'an e-mail address', value);

/** A mailbox from a file. What is sent stays in it as long as the program runs. */
export function createMailAgent(now: () => Date = () => new Date()): AgentProgram {
  const mailbox = new Mailbox();
  return new Map([
    ['search-mail', (task: AgentTask) => searchMail(mailbox, task)],
    ['send-mail', (task: AgentTask) => sendMail(mailbox, task, now())],
    ['summarise-thread', (task: AgentTask) => summariseThread(mailbox, task)],
  ]);
}

function searchMail(mailbox: Mailbox, { intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    query: optional(text),
    from: optional(text),
    folder: optional(oneOf(FOLDERS)),
    unread: optional(flag),
    since: optional(calendarDate),
    limit: optional(integer(1, 50)),
  });
  const unread = fields.unread ?? (/unread|未读/i.test(intent) ? true : undefined);
  const from = fields.from?.toLowerCase() ?? '';
  const filtered = mailbox.messages.filter(
    (message) =>
      message.from.toLowerCase().includes(from) &&
      (fields.folder === undefined || message.folder === fields.folder) &&
      (unread === undefined || message.unread === unread) &&
      (fields.since === undefined || message.sent_at >= fields.since),
  );
  const words = fields.query ?? intent;
  const found = matching(filtered, words);
  const narrowed = filtered.length < mailbox.messages.length;
  if (words.trim() === '' && !narrowed) throw refusal('/query', 'something to search for', fields.query);
  // Words of a sentence such as "my unread mails" need not be in the mails that it asks for.
  const messages = found.length === 0 && narrowed && fields.query === undefined ? filtered : found;
  const listed = messages.map(
    (message) => `${message.sent_at.slice(0, 10)} ${message.from}: ${message.subject}`,
  );
  const said = {
    zh: `找到 ${messages.length} 封邮件。${listed.slice(0, 3).join(';')}`,
    en: `Mails found: ${messages.length}. ${listed.slice(0, 3).join('; ')}`,
  };
  return {
    result: { count: messages.length, messages: messages.slice(0, fields.limit ?? DEFAULT_LIMIT).map(shown) },
    reply: said[languageOf(intent)].trim(),
  };
}

function sendMail(mailbox: Mailbox, { intent, payload }: AgentTask, now: Date): TaskAnswer {
  const fields = readPayload(payload, {
    to: listOf(address, 'an array of at least 1 e-mail address'),
    cc: optional(listOf(address, 'an array of e-mail addresses', 0)),
    subject: text,
    body: text,
    importance: optional(oneOf(IMPORTANCES)),
  });
  const recipients = [...new Set([...fields.to, ...(fields.cc ?? [])].map((each) => each.toLowerCase()))];
  const external = recipients.filter(isExternal);
  const { id, thread_id, sent_at } = mailbox.send(recipients, fields.subject, fields.body, now);
  const said = {
    zh: `邮件「${fields.subject}」已发给 ${recipients.length} 个收件人${external.length > 0 ? `,其中外部地址:${external.join('、')}` : ''}。`,
    en: `"${fields.subject}" went to ${recipients.join(', ')}${external.length > 0 ? `; outside the company: ${external.join(', ')}` : ''}.`,
  };
  return {
    result: {
      message_id: id,
      thread_id,
      sent_at,
      recipients,
      external,
      importance: fields.importance ?? 'normal',
    },
    reply: said[languageOf(intent)],
  };
}

function summariseThread(mailbox: Mailbox, task: AgentTask): TaskAnswer {
  const id = quotedNumber(task, THREAD_ID) ?? matching(mailbox.messages, task.intent)[0]?.thread_id;
  const thread = id === undefined ? [] : mailbox.thread(id);
  const [first] = thread;
  const last = thread.at(-1);
  if (first === undefined || last === undefined) throw refusal('/thread_id', 'the number of a thread', id);
  const counts = new Map<string, number>();
  for (const { from } of thread) counts.set(from, (counts.get(from) ?? 0) + 1);
  const questions = openQuestions(thread);
  const writers = [...counts].map(([from, count]) => `${from} (${count})`);
  const [since, until] = [first.sent_at.slice(0, 10), last.sent_at.slice(0, 10)];
  const said = {
    zh: `「${first.subject}」${since} 至 ${until},发件人:${writers.join('、')}。待回复:${questions.join(' ') || '无'}`,
    en: `"${first.subject}", ${since} to ${until}, by ${writers.join(', ')}. Unanswered: ${questions.join(' ') || 'nothing'}`,
  };
  return {
    result: {
      thread_id: first.thread_id,
      subject: first.subject,
      messages: thread.length,
      writers: [...counts].map(([from, count]) => ({ address: from, messages: count })),
      from: first.sent_at,
      to: last.sent_at,
      open_questions: questions,
    },
    reply: said[languageOf(task.intent)],
  };
}

/** The messages that have about as many of the words as the one that has most. */
function matching(messages: readonly MailMessage[], words: string): readonly MailMessage[] {
  const hits = searchTexts(
    messages.map(({ from, subject, body }) => `${from} ${subject} ${body}`),
    words,
  );
  const best = hits[0]?.score ?? 0;
  return hits.flatMap(({ index, score }) => (score >= best * NEAR_BEST ? (messages[index] ?? []) : []));
}

function shown({ id, thread_id, folder, from, subject, sent_at, unread }: MailMessage) {
  return { message_id: id, thread_id, folder, from, subject, sent_at, unread };
}
