import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReach, type Reach } from '../../src/app.js';
import { publishManifests, readManifests } from '../../src/evaluation/judged-catalogue.js';

const MANIFESTS = fileURLToPath(new URL('../../manifests/', import.meta.url));

let reach: Reach;
beforeAll(async () => {
  reach = await createReach({ logLevel: 'silent', data: null, manifests: null });
  const { manifests } = await readManifests([MANIFESTS]);
  await publishManifests(manifests, reach);
});
afterAll(() => reach.close());

type Intents = readonly (readonly [intent: string, expected: string])[];

/** In words near to those of the manifests. */
const PLAIN_CHINESE: Intents = [
  ['明天下午有哪些会议', 'calendar-agent/list-events'],
  ['把 search 2.1.0 发布到 staging', 'deployment-agent/deploy-service'],
  ['把 payment 回滚到上一个版本', 'deployment-agent/roll-back-service'],
  ['我的年假还剩几天', 'hr-leave-agent/query-leave-balance'],
  ['孩子发烧了,想请一天事假', 'hr-leave-agent/submit-leave'],
  ['客户的发票 INV-2050 付款了没有', 'invoices-agent/invoice-status'],
  ['我的退款处理到哪一步了', 'refunds-agent/refund-status'],
  ['把这个表格转换成 CSV', 'spreadsheet-agent/convert-table'],
  ['下周五从南京到广州有哪些高铁', 'travel-agent/search-connections'],
  ['去成都出差三天的补贴有多少', 'travel-agent/travel-allowance'],
  ['根据本周数据写一段经营周报', 'weekly-report-agent/generate-weekly-summary'],
  ['昨天的销售额是不是异常', 'weekly-report-agent/detect-kpi-anomalies'],
];

const PLAIN_ENGLISH: Intents = [
  ['what are your office hours', 'chat-agent/company-questions'],
  ['which version of search is live in production', 'deployment-agent/deployment-status'],
  ['list all logistics terms in the glossary', 'glossary-agent/list-domain-terms'],
  ['has the customer paid invoice INV-2050', 'invoices-agent/invoice-status'],
  ['which customers are late with their payments', 'invoices-agent/overdue-invoices'],
  ['search the wiki for the travel policy', 'knowledge-search-agent/search-documents'],
  ['where is my order 20231188', 'orders-agent/order-status'],
  ['make a pivot table of costs by team and month', 'pivot-agent/pivot-table'],
  ['has my refund RF-1003 been approved', 'refunds-agent/refund-status'],
  ['convert these tab separated rows to JSON', 'spreadsheet-agent/convert-table'],
];

/** In words of their own. */
const CHINESE: Intents = [
  ['后天我的日程都有些什么', 'calendar-agent/list-events'],
  ['公司的无线网密码在哪里问', 'chat-agent/company-questions'],
  ['刚上线的版本出错了,退回去', 'deployment-agent/roll-back-service'],
  ['「库存周转率」的标准英文译法是什么', 'glossary-agent/look-up-term'],
  ['给星海公司开一张三千元的发票', 'invoices-agent/create-invoice'],
  ['知识库里有关于值班流程的说明吗', 'knowledge-search-agent/search-documents'],
  ['结账服务今天报了多少个错误', 'log-inspection-agent/count-errors'],
  ['写封邮件告诉房东我们续租', 'mail-agent/send-mail'],
  ['我买的东西现在送到哪里了', 'orders-agent/order-status'],
  ['键盘到手就是坏的,要求退款', 'refunds-agent/request-refund'],
];

const ENGLISH: Intents = [
  ['put a budget review with Tom into the calendar for Friday at 3', 'calendar-agent/create-event'],
  ['what meetings do I have tomorrow', 'calendar-agent/list-events'],
  ['what is the password of the guest network', 'chat-agent/company-questions'],
  ['ship search 2.1.0 to staging', 'deployment-agent/deploy-service'],
  ['the new release is broken, go back to the one before', 'deployment-agent/roll-back-service'],
  ['what is the approved Chinese translation of cash flow', 'glossary-agent/look-up-term'],
  ['send Contoso an invoice for three days of training', 'invoices-agent/create-invoice'],
  ['how many exceptions did checkout throw since midnight', 'log-inspection-agent/count-errors'],
  ['has my parcel been handed to the carrier yet', 'orders-agent/order-status'],
  ['the headphones came broken, I want a refund', 'refunds-agent/request-refund'],
  ['which trains go from Cologne to Basel on Sunday', 'travel-agent/search-connections'],
];

const MIXED: Intents = [
  ['帮我把这个 CSV 转成 JSON array', 'spreadsheet-agent/convert-table'],
  ['把 checkout roll back 到上一个 version', 'deployment-agent/roll-back-service'],
  ['book 一张明天去 Shanghai 的高铁票', 'travel-agent/book-trip'],
  ['我的 order 20231188 现在 ship 了没有', 'orders-agent/order-status'],
  ['帮我 schedule 一个周五的 meeting', 'calendar-agent/create-event'],
  ['invoice INV-2041 客户 pay 了吗', 'invoices-agent/invoice-status'],
  ['在 wiki 里 search 一下 onboarding 文档', 'knowledge-search-agent/search-documents'],
  ['给 team 发一封 email 说 standup 取消', 'mail-agent/send-mail'],
];

const TRADITIONAL: Intents = [
  ['我想請三天年假', 'hr-leave-agent/submit-leave'],
  ['查一下訂單 20230958 的物流', 'orders-agent/order-status'],
  ['查一下這張發票的付款狀態', 'invoices-agent/invoice-status'],
  ['收到的耳機是壞的,我要申請退款', 'refunds-agent/request-refund'],
  ['明天上海飛廣州的機票', 'travel-agent/search-connections'],
  ['發一封郵件告訴陳靜合約已經寄出', 'mail-agent/send-mail'],
  ['生成本週銷售週報摘要', 'weekly-report-agent/generate-weekly-summary'],
  ['我明天下午有哪些會議', 'calendar-agent/list-events'],
  ['付款服務的新版本有問題,趕緊回滾', 'deployment-agent/roll-back-service'],
  ['有沒有講資料備份的內部文件', 'knowledge-search-agent/search-documents'],
];

const FULL_WIDTH: Intents = [
  ['ｗｈｅｒｅ　ｉｓ　ｍｙ　ｏｒｄｅｒ　２０２３１１８８', 'orders-agent/order-status'],
  ['ｃｏｎｖｅｒｔ　ａ　ＣＳＶ　ｔａｂｌｅ　ｔｏ　ＪＳＯＮ', 'spreadsheet-agent/convert-table'],
  ['把这个ＣＳＶ转成ＪＳＯＮ', 'spreadsheet-agent/convert-table'],
  ['发票ＩＮＶ－２０４１付了没有?', 'invoices-agent/invoice-status'],
  ['ｂｏｏｋ　ａ　ｔｒａｉｎ　ｔｏ　Ｍｕｎｉｃｈ', 'travel-agent/book-trip'],
  ['ＰＩＶＯＴ　ｓａｌｅｓ　ｂｙ　ｒｅｇｉｏｎ', 'pivot-agent/pivot-table'],
];

const TYPOS: Intents = [
  ['what meetigns do I have tomorow', 'calendar-agent/list-events'],
  ['find the travl polcy in the wiki', 'knowledge-search-agent/search-documents'],
  ['convrt these rows to JOSN', 'spreadsheet-agent/convert-table'],
  ['wich invocies are overdeu', 'invoices-agent/overdue-invoices'],
  ['shedule a meeting with Anna on Teusday', 'calendar-agent/create-event'],
  ['cancle my ordr before it ships', 'orders-agent/cancel-order'],
  ['eror rate of the paymnt service per hour', 'log-inspection-agent/count-errors'],
  ['我想青两天年假', 'hr-leave-agent/submit-leave'],
  ['帮我定一张去深圳的机漂', 'travel-agent/book-trip'],
  ['我的订蛋到哪了', 'orders-agent/order-status'],
  ['serch the loggs for timeout', 'log-inspection-agent/search-logs'],
  ['查一下退宽进度', 'refunds-agent/refund-status'],
  ['给北辰科技开一张发漂', 'invoices-agent/create-invoice'],
];

const ACROSS: Intents = [
  ['please submit a leave request for tomorrow', 'hr-leave-agent/submit-leave'],
  ['how much annual leave is left', 'hr-leave-agent/query-leave-balance'],
  ['withdraw my leave request', 'hr-leave-agent/cancel-leave'],
  ['write a summary for the weekly report from these KPIs', 'weekly-report-agent/generate-weekly-summary'],
  ['detect anomalies in our KPIs', 'weekly-report-agent/detect-kpi-anomalies'],
  ['compare the revenue of March with that of April', 'weekly-report-agent/compare-periods'],
  ['这段报错堆栈是什么意思', 'log-inspection-agent/read-stack-trace'],
];

/** The best candidate and the outcome. */
async function answerTo(intent: string): Promise<string> {
  const { outcome, candidates } = await reach.route({ intent });
  const [best] = candidates;
  return `${outcome} ${best?.agentName}/${best?.capabilityId}`;
}

describe.each([
  ['Chinese', PLAIN_CHINESE],
  ['English', PLAIN_ENGLISH],
])('plain %s is routed', (_, intents) => {
  test.each(intents)('%s', async (intent, expected) => {
    expect(await answerTo(intent)).toBe(`routed ${expected}`);
  });
});

describe.each([
  ['Chinese in words of its own', CHINESE],
  ['English in words of its own', ENGLISH],
  ['Chinese and English mixed', MIXED],
  ['Traditional Chinese', TRADITIONAL],
  ['full-width letters', FULL_WIDTH],
  ['typos', TYPOS],
  ['another language than the manifest', ACROSS],
])('the right capability comes first for %s', (_, intents) => {
  test.each(intents)('%s', async (intent, expected) => {
    expect((await answerTo(intent)).split(' ')[1]).toBe(expected);
  });
});
