import { hasChinese } from '../wire/chinese.js';
import type { Ticket } from '../wire/tickets.js';
import type { TicketNews } from './ticket-desk.js';

export const LANGUAGES = ['zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text for people in one language: what a message says, before a platform gives it a form. */
export interface TicketText {
  readonly title: string;
  readonly lines: readonly string[];
}

/** What a person reads of an intent at a glance. */
const INTENT_CHARS = 300;
const SENTENCE_CHARS = 500;

interface Words {
  readonly news: Readonly<Record<TicketNews, string>>;
  readonly cause: Readonly<Record<Ticket['cause'], string>>;
  readonly labels: Readonly<Record<'why' | 'intent' | 'count' | 'target' | 'ticket', string>>;
  /** Between a label and what it labels. */
  readonly colon: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    news: {
      opened: 'A person is needed',
      returned: 'A ticket is back in the queue',
      grown: 'A ticket keeps growing',
    },
    cause: {
      low_confidence: 'nobody is sure enough who can do it',
      no_way_left: 'no way is left to get it done',
      p0_fail_fast: 'urgent requests fail one after the other',
      repeated_refusal: 'a caller is refused again and again',
      agent_handoff: 'an agent asks for a person',
    },
    labels: { why: 'Why', intent: 'Intent', count: 'Times', target: 'Capability', ticket: 'Ticket' },
    colon: ': ',
  },
  zh: {
    news: { opened: '需要人工处理', returned: '工单已退回队列', grown: '工单持续增长' },
    cause: {
      low_confidence: '无法确定由哪个智能体处理',
      no_way_left: '已没有可用的处理途径',
      p0_fail_fast: '紧急请求接连失败',
      repeated_refusal: '同一调用方的请求屡次被拒绝',
      agent_handoff: '智能体请求人工介入',
    },
    labels: { why: '说明', intent: '意图', count: '次数', target: '能力', ticket: '工单' },
    colon: '：',
  },
};

/** What could fake a line, hide a word or turn the direction of the text becomes a space. */
const HOSTILE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** A text from elsewhere as one line that is not too long. */
function oneLine(text: string, chars: number): string {
  const line = text.replace(HOSTILE, ' ').trim();
  return line.length > chars ? `${line.slice(0, chars)}…` : line;
}

/** The language of its last intent: Chinese where it has a Chinese letter. */
export function languageOf({ requests }: Pick<Ticket, 'requests'>): Language {
  return hasChinese(requests.at(-1)?.intent ?? '') ? 'zh' : 'en';
}

/** What people are told of a ticket. */
export function ticketText(news: TicketNews, ticket: Ticket, language: Language): TicketText {
  const words = WORDS[language];
  const { labels, colon } = words;
  const intent = ticket.requests.at(-1)?.intent ?? undefined;
  const { targetAgent = null, capabilityId = null } = ticket.decision ?? {};
  const line = (label: keyof typeof labels, text: string) => `${labels[label]}${colon}${text}`;
  return {
    title: `[Agent-Reach] ${words.news[news]}${colon}${words.cause[ticket.cause]}`,
    lines: [
      line('why', oneLine(ticket.sentence, SENTENCE_CHARS)),
      ...(intent === undefined ? [] : [line('intent', oneLine(intent, INTENT_CHARS))]),
      ...(targetAgent === null
        ? []
        : [line('target', oneLine(`${targetAgent}/${capabilityId}`, INTENT_CHARS))]),
      line('count', String(ticket.count)),
      line('ticket', ticket.ticketId),
    ],
  };
}
