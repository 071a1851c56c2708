import { describe, expect, test } from 'vitest';
import { createHrLeaveAgent } from '../../src/demo/agents/hr-leave-agent.js';
import { numberOf, spokenLeave } from '../../src/demo/agents/leave-words.js';
import { exists, lastWorkingDay, workingDays } from '../../src/demo/calendar-date.js';
import { ask, faultsOf } from './ask.js';

const ZHANG = { id: 'E1001', name: '张伟' };

describe('the calendar', () => {
  test.each([
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['2025-04-31', false],
    ['2025-4-1', false],
    ['9999-12-31', false],
    ['not a date', false],
  ])('knows whether %s exists', (date, there) => {
    expect(exists(date)).toBe(there);
  });

  test.each([
    ['2024-02-26', '2024-03-01', 5], // Monday to Friday over a 29th of February
    ['2025-03-07', '2025-03-10', 2], // Friday to Monday
    ['2025-03-08', '2025-03-09', 0], // a weekend
    ['2025-03-03', '2025-03-03', 1],
    ['2025-01-01', '2025-12-31', 261],
  ])('counts working days from %s to %s', (from, to, days) => {
    expect(workingDays(from, to)).toBe(days);
  });

  test.each([
    ['2025-03-03', 1, '2025-03-03'],
    ['2025-03-06', 3, '2025-03-10'],
    ['2025-03-08', 1, '2025-03-10'], // begins on a Saturday
    ['2025-12-31', 2, '2026-01-01'],
  ])('from %s, %d working days end on %s', (from, days, last) => {
    expect(lastWorkingDay(from, days)).toBe(last);
  });
});

describe('a sentence', () => {
  test.each([
    ['我想请三天年假', { type: 'annual', days: 3, dates: [] }],
    [
      '2025年3月3日到2025-03-05请事假',
      { type: 'personal', days: undefined, dates: ['2025-03-03', '2025-03-05'] },
    ],
    ['明天身体不舒服,请 2 天假', { type: 'sick', days: 2, dates: [] }],
    ['请0天假', { type: undefined, days: undefined, dates: [] }],
  ])('%s is understood', (sentence, spoken) => {
    expect(spokenLeave(sentence)).toEqual(spoken);
  });

  test.each([
    ['两', 2],
    ['十', 10],
    ['十二', 12],
    ['二十', 20],
    ['二十三', 23],
    ['15', 15],
    ['三四', undefined],
  ])('has the number %s', (word, value) => {
    expect(numberOf(word)).toBe(value);
  });
});

describe('a leave', () => {
  test('is booked in working days, lowers the balance, and comes back when it is cancelled', () => {
    const agent = createHrLeaveAgent();
    const submitted = ask(agent, 'submit-leave', {
      applicant: ZHANG,
      type: 'annual',
      start_date: '2025-03-06',
      end_date: '2025-03-11',
    });
    expect(submitted.result).toEqual({
      state: 'submitted',
      leave_id: 'LV-0001',
      applicant: ZHANG,
      type: 'annual',
      start_date: '2025-03-06',
      end_date: '2025-03-11',
      working_days: 4,
      remaining_days: 6,
    });
    expect(submitted.reply).toBe(
      '张伟 2025-03-06 至 2025-03-11 的年假(4 个工作日)已提交,单号 LV-0001,年假还剩 6 天。',
    );
    expect(ask(agent, 'query-leave-balance', { applicant: ZHANG, type: 'annual' }).result).toMatchObject({
      balances: [{ type: 'annual', total: 10, used: 4, remaining: 6 }],
    });
    const cancelled = ask(agent, 'cancel-leave', null, '撤销请假单 lv-0001');
    expect(cancelled.result).toEqual({
      state: 'cancelled',
      leave_id: 'LV-0001',
      returned_days: 4,
      remaining_days: 10,
    });
    expect(ask(agent, 'cancel-leave', { leave_id: 'LV-0001' }).result).toEqual(cancelled.result);
  });

  test('ends by itself where only its days are known', () => {
    const { result } = ask(
      createHrLeaveAgent(),
      'submit-leave',
      { applicant: { id: 'E1003' }, start_date: '2025-03-07' },
      '我想请三天年假',
    );
    expect(result).toMatchObject({
      state: 'submitted',
      end_date: '2025-03-11',
      working_days: 3,
      remaining_days: 12,
    });
  });

  test('is asked about where the sentence does not say all', () => {
    const { result, reply } = ask(createHrLeaveAgent(), 'submit-leave', null, '我想请三天年假');
    expect(result).toEqual({
      state: 'incomplete',
      draft: { type: 'annual', days: 3, start_date: undefined, end_date: undefined },
      missing_fields: ['/applicant/id', '/start_date'],
    });
    expect(reply).toBe('好的,3 天年假。还需要:申请人工号、开始日期。');
  });

  test('is refused over the balance and over another leave', () => {
    const agent = createHrLeaveAgent();
    const leave = { applicant: { id: 'E1004' }, type: 'annual', start_date: '2025-03-03' };
    const tooLong = ask(agent, 'submit-leave', { ...leave, days: 3 });
    expect(tooLong.result).toMatchObject({ state: 'refused', refused_because: 'balance', remaining_days: 2 });
    expect(ask(agent, 'submit-leave', { ...leave, days: 2 }).result).toMatchObject({ state: 'submitted' });
    const again = ask(agent, 'submit-leave', { ...leave, type: 'sick', start_date: '2025-03-04', days: 1 });
    expect(again.result).toMatchObject({ state: 'refused', refused_because: 'overlap' });
  });

  const complete = { applicant: ZHANG, type: 'annual', start_date: '2025-03-03', end_date: '2025-03-07' };
  test.each([
    [{ applicant: { name: '张伟' } }, '/applicant/id'],
    [{ applicant: { id: 'E9999' } }, '/applicant/id'],
    [{ applicant: { id: 'E1001', name: '刘洋' } }, '/applicant/name'],
    [{ applicant: 'E1001' }, '/applicant'],
    [{ ...complete, type: 'holiday' }, '/type'],
    [{ ...complete, start_date: '2023-02-29' }, '/start_date'],
    [{ ...complete, end_date: '2025-03-01' }, '/end_date'],
    [{ ...complete, end_date: '2027-03-01' }, '/end_date'],
    [{ ...complete, start_date: '2025-03-08', end_date: '2025-03-09' }, '/end_date'],
    [{ ...complete, days: 4 }, '/days'],
    [{ ...complete, days: 0 }, '/days'],
  ])('makes no sense as %j', (payload, pointer) => {
    expect(faultsOf(createHrLeaveAgent(), 'submit-leave', payload)).toMatchObject([{ pointer }]);
  });
});

test('a balance is found by number or name, and asked for where nobody is named', () => {
  const agent = createHrLeaveAgent();
  const { result, reply } = ask(agent, 'query-leave-balance', null, '刘洋还剩几天年假');
  expect(result).toEqual({
    applicant: { id: 'E1002', name: '刘洋' },
    balances: [{ type: 'annual', total: 5, used: 0, remaining: 5 }],
  });
  expect(reply).toBe('刘洋的剩余假期:年假 5/5 天。');
  expect(ask(agent, 'query-leave-balance', null, '我还剩几天假').result).toMatchObject({
    state: 'incomplete',
  });
  const all = ask(agent, 'query-leave-balance', { applicant: { id: 'E1003' } }).result;
  expect(all).toMatchObject({ balances: [{}, {}, {}, { type: 'marriage', remaining: 0 }] });
});

test('a leave that was never submitted cannot be cancelled', () => {
  const agent = createHrLeaveAgent();
  expect(faultsOf(agent, 'cancel-leave', { leave_id: 'LV-0009' })).toMatchObject([{ pointer: '/leave_id' }]);
  expect(ask(agent, 'cancel-leave', null, '销假').result).toMatchObject({ missing_fields: ['/leave_id'] });
});
