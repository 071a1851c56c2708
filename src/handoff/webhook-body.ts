import type { MessageForm } from '../outbox/message.js';
import type { TicketWebhook } from '../settings.js';
import { type Ticket, ticketCodec } from '../wire/tickets.js';
import type { TicketNews } from './ticket-desk.js';
import { languageOf, type TicketText, ticketText } from './ticket-text.js';

const joined = ({ title, lines }: TicketText) => [title, ...lines].join('\n');

/** https://docs.slack.dev/messaging/formatting-message-text#escaping: no mention and no link can be made without these. */
const slackEscaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
function slackBody(news: TicketNews, ticket: Ticket) {
  const text = slackEscaped(joined(ticketText(news, ticket, languageOf(ticket))));
  return { text, mrkdwn: false, unfurl_links: false, unfurl_media: false };
}

/**
 * A rich text of plain parts alone, in which no link can be made; since `<at ...>` would call people, a wide letter
 * stands for `<`. People read it in the language of their app.
 * https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
 */
function feishuBody(news: TicketNews, ticket: Ticket) {
  const post = (language: 'zh' | 'en') => {
    const { title, lines } = ticketText(news, ticket, language);
    const paragraph = (line: string) => [{ tag: 'text', text: line.replaceAll('<', '＜') }];
    return { title, content: lines.map(paragraph) };
  };
  return { msg_type: 'post', content: { post: { zh_cn: post('zh'), en_us: post('en') } } };
}

/**
 * A plain text: DingTalk reads no Markdown in it, and calls only for those that `at` names.
 * https://open.dingtalk.com/document/robots/custom-robot-access
 */
function dingtalkBody(news: TicketNews, ticket: Ticket) {
  const content = joined(ticketText(news, ticket, languageOf(ticket)));
  return { msgtype: 'text', text: { content }, at: { isAtAll: false } };
}

const BODIES = {
  slack: slackBody,
  feishu: feishuBody,
  dingtalk: dingtalkBody,
  json: (_: TicketNews, ticket: Ticket) => ticketCodec.encode(ticket),
} as const satisfies Readonly<Record<TicketWebhook['kind'], (news: TicketNews, ticket: Ticket) => object>>;

/** What is sent to a webhook of this kind. All platforms take 20 KB; texts are a few hundred characters. */
export function webhookBody(kind: TicketWebhook['kind'], news: TicketNews, ticket: Ticket): string {
  return JSON.stringify(BODIES[kind](news, ticket));
}

/** A platform's robot has its own form and signature; JSON is signed by us. */
export function formOf(kind: TicketWebhook['kind']): MessageForm {
  return kind === 'json' ? 'signed' : kind;
}
