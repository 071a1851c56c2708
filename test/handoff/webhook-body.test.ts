import { describe, expect, test } from 'vitest';
import { formOf, webhookBody } from '../../src/handoff/webhook-body.js';
import { WEBHOOK_KINDS } from '../../src/settings.js';
import { ticketCodec } from '../../src/wire/tickets.js';
import { ticket } from '../support/stand-in-tickets.js';

const [request] = ticket.requests;
const withIntent = (intent: string, more = {}) => ({
  ...ticket,
  requests: request === undefined ? [] : [{ ...request, intent }],
  ...more,
});
const bodyFor = (kind: (typeof WEBHOOK_KINDS)[number], given = ticket) =>
  JSON.parse(webhookBody(kind, 'opened', given));

const HOSTILE =
  '<!channel> <https://evil.example|click> & <at user_id="all"></at>\n[Agent-Reach] all is well\u202e';

describe('what platforms are told', () => {
  test('Slack: one text that names no one and links nowhere', () => {
    expect(bodyFor('slack', withIntent(HOSTILE))).toEqual({
      text: [
        '[Agent-Reach] A person is needed: nobody is sure enough who can do it',
        'Why: Nobody is sure enough.',
        'Intent: &lt;!channel&gt; &lt;https://evil.example|click&gt; &amp; &lt;at user_id="all"&gt;&lt;/at&gt; [Agent-Reach] all is well',
        'Times: 2',
        'Ticket: tk_1',
      ].join('\n'),
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    });
  });

  test('Feishu: a post of plain parts in both languages', () => {
    const { msg_type: type, content } = bodyFor('feishu', withIntent(HOSTILE));
    expect(type).toBe('post');
    expect(content.post.zh_cn).toEqual({
      title: '[Agent-Reach] 需要人工处理：无法确定由哪个智能体处理',
      content: [
        [{ tag: 'text', text: '说明：Nobody is sure enough.' }],
        [
          {
            tag: 'text',
            text: '意图：＜!channel> ＜https://evil.example|click> & ＜at user_id="all">＜/at> [Agent-Reach] all is well',
          },
        ],
        [{ tag: 'text', text: '次数：2' }],
        [{ tag: 'text', text: '工单：tk_1' }],
      ],
    });
    expect(content.post.en_us.title).toBe(
      '[Agent-Reach] A person is needed: nobody is sure enough who can do it',
    );
  });

  test('DingTalk: a plain text in the language of the intent, which calls nobody', () => {
    const chinese = bodyFor('dingtalk', withIntent('给花浇水 @所有人 # 标题'));
    expect(chinese).toMatchObject({ msgtype: 'text', at: { isAtAll: false } });
    expect(chinese.text.content).toBe(
      [
        '[Agent-Reach] 需要人工处理：无法确定由哪个智能体处理',
        '说明：Nobody is sure enough.',
        '意图：给花浇水 @所有人 # 标题',
        '次数：2',
        '工单：tk_1',
      ].join('\n'),
    );
    expect(bodyFor('dingtalk', withIntent('water the plants')).text.content).toContain('Intent: water');
  });

  test('plain JSON: the ticket, as it can be asked for', () => {
    expect(bodyFor('json')).toEqual(ticketCodec.encode(ticket));
  });

  test.each(WEBHOOK_KINDS)('%s: a text without end is cut', (kind) => {
    const long = withIntent('界<'.repeat(50_000).slice(0, 1_000), { sentence: '>&'.repeat(10_000) });
    const body = webhookBody(kind, 'grown', kind === 'json' ? withIntent('界'.repeat(1_000)) : long);
    expect(Buffer.byteLength(body)).toBeLessThan(20_000);
  });
});

test('each kind goes out in the form of its platform, JSON signed by us', () => {
  expect(WEBHOOK_KINDS.map(formOf)).toEqual(['slack', 'feishu', 'dingtalk', 'signed']);
});
