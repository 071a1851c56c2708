/** What the demo is asked: a sentence, the same with a typing error, and the capability that both must reach. */
export const DEMO_SENTENCES = [
  ['生成本周销售周报摘要', '生成本周销售周报摘耍', 'weekly-report-agent/generate-weekly-summary'],
  ['turn this csv into json', 'turn this csv into jsno', 'spreadsheet-agent/convert-table'],
  ['pivot sales by region and month', 'pivot sales by regoin and month', 'pivot-agent/pivot-table'],
  ['帮我把这个表格转成 JSON', '帮我把这个表个转成 JSON', 'spreadsheet-agent/convert-table'],
  ['where is my order 20231188', 'where is my ordr 20231188', 'orders-agent/order-status'],
  ['我想请三天年假', '我想请三天年价', 'hr-leave-agent/submit-leave'],
  [
    'has invoice INV-2041 been paid yet',
    'has invoce INV-2041 been paid yet',
    'invoices-agent/invoice-status',
  ],
  ['哪些发票已经逾期还没付款', '哪些发漂已经逾期还没付款', 'invoices-agent/overdue-invoices'],
  ['收到的耳机是坏的,我要申请退款', '收到的耳机是坏的,我要申请退欵', 'refunds-agent/request-refund'],
  [
    'when does the money for refund RF-1001 arrive',
    'when does the mony for refund RF-1001 arrive',
    'refunds-agent/refund-status',
  ],
  [
    'find a free hour for Anna and Tom on Wednesday',
    'find a free hour for Anna and Tom on Wendesday',
    'calendar-agent/find-free-slot',
  ],
  ['我明天下午有哪些会议', '我明天下牛有哪些会议', 'calendar-agent/list-events'],
  [
    'search my mailbox for the offer from the supplier',
    'search my mailbox for the ofer from the supplier',
    'mail-agent/search-mail',
  ],
  ['发一封邮件告诉陈静合同已经寄出', '发一封邮仵告诉陈静合同已经寄出', 'mail-agent/send-mail'],
  [
    'how many errors did the payment service log last night',
    'how many erorrs did the payment service log last night',
    'log-inspection-agent/count-errors',
  ],
  [
    '把 checkout 服务回滚到上一个版本',
    '把 checkout 服务回棍到上一个版本',
    'deployment-agent/roll-back-service',
  ],
  [
    'what is the live version of checkout',
    'what is the live verison of checkout',
    'deployment-agent/deployment-status',
  ],
  [
    'search the wiki for the on-call handbook',
    'search the wiki for the on-call handbok',
    'knowledge-search-agent/search-documents',
  ],
  ['有没有讲密码规范的内部文档', '有没有讲密马规范的内部文档', 'knowledge-search-agent/search-documents'],
  ['查一下后天上海到北京的高铁', '查一下后天上海到北景的高铁', 'travel-agent/search-connections'],
  ['book me a train to Munich on Monday', 'book me a trian to Munich on Monday', 'travel-agent/book-trip'],
] as const;

/** General knowledge and other things that no agent of the company is for. */
export const FITS_NOTHING = [
  "what's the capital of France",
  "what's the captial of France",
  'who wrote Hamlet',
  'how many planets are there in the solar system',
  '珠穆朗玛峰有多高',
  '谁发明了电灯',
] as const;
