import type { CalendarDate } from '../calendar-date.js';
import { datesIn } from '../spoken-date.js';
import type { LeaveType } from './leave-ledger.js';

/** What a sentence says about a leave. */
export interface SpokenLeave {
  readonly type: LeaveType | undefined;
  readonly days: number | undefined;
  /** Full dates in the order in which they are said. */
  readonly dates: readonly CalendarDate[];
}

export const LEAVE_NAMES: Readonly<Record<LeaveType, string>> = {
  annual: '年假',
  sick: '病假',
  personal: '事假',
  marriage: '婚假',
};

const TYPE_WORDS: readonly (readonly [LeaveType, RegExp])[] = [
  ['annual', /年假|年休|annual|vacation/i],
  ['sick', /病假|生病|不舒服|sick/i],
  ['personal', /事假|personal/i],
  ['marriage', /婚假|结婚|marriage/i],
];

const DIGITS = '零一二三四五六七八九';

/** Reads a leave out of a sentence such as 我想请三天年假 or 2025-03-03 到 2025-03-05 请事假. */
export function spokenLeave(intent: string): SpokenLeave {
  const sentence = intent.normalize('NFKC');
  const days = sentence.match(/([1-9]\d{0,2}|[一二两三四五六七八九十]{1,3})\s*(?:个工作日|天|days?)/i)?.[1];
  return {
    type: TYPE_WORDS.find(([, words]) => words.test(sentence))?.[0],
    days: days === undefined ? undefined : numberOf(days),
    dates: datesIn(sentence),
  };
}

/** 3, 三, 两, 十, 十二, 二十, 二十三 as a number; undefined for what is none, such as 三四. */
export function numberOf(word: string): number | undefined {
  if (/^\d+$/.test(word)) return Number(word);
  const parts = word.replace('两', '二').match(/^([一二三四五六七八九]?)(十?)([一二三四五六七八九]?)$/);
  if (parts === null) return undefined;
  const [, tens = '', ten = '', ones = ''] = parts;
  if (ten === '') return tens !== '' && ones !== '' ? undefined : DIGITS.indexOf(tens + ones);
  return (tens === '' ? 1 : DIGITS.indexOf(tens)) * 10 + (ones === '' ? 0 : DIGITS.indexOf(ones));
}
