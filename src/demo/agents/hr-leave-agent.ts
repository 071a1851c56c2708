import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { type CalendarDate, calendarDate, daysFrom, lastWorkingDay, workingDays } from '../calendar-date.js';
import {
  integer,
  object,
  oneOf,
  optional,
  type Reader,
  readPayload,
  refusal,
  text,
} from '../payload-reader.js';
import { type Employee, LEAVE_TYPES, LeaveLedger, type LeaveRequest } from './leave-ledger.js';
import { LEAVE_NAMES, spokenLeave } from './leave-words.js';

interface Applicant {
  readonly id: string;
  readonly name: string | undefined;
}

/** What is known of a leave so far, from the payload or the sentence. */
interface LeaveDraft {
  readonly employee: Employee | undefined;
  readonly type: LeaveRequest['type'] | undefined;
  readonly from: CalendarDate | undefined;
  readonly to: CalendarDate | undefined;
  readonly days: number | undefined;
}

const MAX_LEAVE_DAYS = 366;

const applicant: Reader<Applicant | undefined> = optional(object({ id: text, name: optional(text) }));

/** Leave requests of the employees of a file. What is submitted stays as long as the program runs. */
export function createHrLeaveAgent(): AgentProgram {
  const ledger = new LeaveLedger();
  return new Map([
    ['submit-leave', (task: AgentTask) => submitLeave(ledger, task)],
    ['query-leave-balance', (task: AgentTask) => queryLeaveBalance(ledger, task)],
    ['cancel-leave', (task: AgentTask) => cancelLeave(ledger, task)],
  ]);
}

function submitLeave(ledger: LeaveLedger, task: AgentTask): TaskAnswer {
  const draft = draftOf(ledger, task);
  const request = completed(draft);
  if (request === undefined) return incomplete(draft);
  const { employee, type } = request;
  const decision = ledger.submit(request);
  const dates = { start_date: request.from, end_date: request.to, working_days: request.workingDays };
  const remaining = ledger.remaining(employee, type);
  const said = `${employee.name} ${request.from} 至 ${request.to} 的${LEAVE_NAMES[type]}(${request.workingDays} 个工作日)`;
  if (decision.state === 'refused') {
    const reason = decision.because === 'balance' ? `余额不足,只剩 ${remaining} 天` : '与已有的请假重叠';
    return {
      result: {
        state: 'refused',
        refused_because: decision.because,
        type,
        ...dates,
        remaining_days: remaining,
      },
      reply: `${said}未能提交:${reason}。`,
    };
  }
  return {
    result: {
      state: 'submitted',
      leave_id: decision.leave.id,
      applicant: { id: employee.id, name: employee.name },
      type,
      ...dates,
      remaining_days: remaining,
    },
    reply: `${said}已提交,单号 ${decision.leave.id},${LEAVE_NAMES[type]}还剩 ${remaining} 天。`,
  };
}

function queryLeaveBalance(ledger: LeaveLedger, { intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, { applicant, type: optional(oneOf(LEAVE_TYPES)) });
  const employee = employeeOf(ledger, fields.applicant, intent);
  if (employee === undefined) {
    return {
      result: { state: 'incomplete', missing_fields: ['/applicant/id'] },
      reply: '请告诉我您的工号(例如 E1001),我来查询假期余额。',
    };
  }
  const type = fields.type ?? spokenLeave(intent).type;
  const balances = (type === undefined ? LEAVE_TYPES : [type]).map((each) => {
    const remaining = ledger.remaining(employee, each);
    return { type: each, total: employee.days[each], used: employee.days[each] - remaining, remaining };
  });
  const listed = balances.map(
    ({ type: each, total, remaining }) => `${LEAVE_NAMES[each]} ${remaining}/${total} 天`,
  );
  return {
    result: { applicant: { id: employee.id, name: employee.name }, balances },
    reply: `${employee.name}的剩余假期:${listed.join('、')}。`,
  };
}

function cancelLeave(ledger: LeaveLedger, { intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, { leave_id: optional(text) });
  const id = fields.leave_id ?? intent.match(/LV-\d{4}(?!\d)/i)?.[0].toUpperCase();
  if (id === undefined) {
    return {
      result: { state: 'incomplete', missing_fields: ['/leave_id'] },
      reply: '请提供要撤销的请假单号(例如 LV-0001)。',
    };
  }
  const leave = ledger.cancel(id);
  if (leave === undefined) throw refusal('/leave_id', 'the number of a submitted leave', id);
  const remaining = ledger.remaining(leave.employee, leave.type);
  return {
    result: {
      state: 'cancelled',
      leave_id: id,
      returned_days: leave.workingDays,
      remaining_days: remaining,
    },
    reply: `请假单 ${id} 已撤销,${LEAVE_NAMES[leave.type]}还剩 ${remaining} 天。`,
  };
}

function draftOf(ledger: LeaveLedger, { intent, payload }: AgentTask): LeaveDraft {
  const fields = readPayload(payload, {
    applicant,
    type: optional(oneOf(LEAVE_TYPES)),
    start_date: optional(calendarDate),
    end_date: optional(calendarDate),
    days: optional(integer(1, 90)),
    reason: optional(text),
  });
  const spoken = spokenLeave(intent);
  return {
    employee: employeeOf(ledger, fields.applicant, intent),
    type: fields.type ?? spoken.type,
    from: fields.start_date ?? spoken.dates[0],
    to: fields.end_date ?? spoken.dates[1],
    days: fields.days ?? spoken.days,
  };
}

/** The leave that a draft amounts to; undefined while something is missing. @throws PayloadError */
function completed({ employee, type, from, to, days }: LeaveDraft): LeaveRequest | undefined {
  if (employee === undefined || type === undefined || from === undefined) return undefined;
  if (to === undefined) {
    if (days === undefined) return undefined;
    return { employee, type, from, to: lastWorkingDay(from, days), workingDays: days };
  }
  const length = daysFrom(from, to) + 1;
  if (length < 1 || length > MAX_LEAVE_DAYS) {
    throw refusal('/end_date', `a date from ${from} on, at most ${MAX_LEAVE_DAYS} days later`, to);
  }
  const counted = workingDays(from, to);
  if (counted === 0) throw refusal('/end_date', 'a leave with at least one working day', to);
  if (days !== undefined && days !== counted) {
    throw refusal('/days', `${counted}, the working days from ${from} to ${to}`, days);
  }
  return { employee, type, from, to, workingDays: counted };
}

function incomplete({ employee, type, from, to, days }: LeaveDraft): TaskAnswer {
  const questions: readonly (readonly [string, string, boolean])[] = [
    ['/applicant/id', '申请人工号', employee === undefined],
    ['/type', '假期类型', type === undefined],
    ['/start_date', '开始日期', from === undefined],
    ['/days', '天数或结束日期', days === undefined && to === undefined],
  ];
  const open = questions.filter(([, , missing]) => missing);
  const known = [days === undefined ? '' : `${days} 天`, type === undefined ? '请假' : LEAVE_NAMES[type]];
  return {
    result: {
      state: 'incomplete',
      draft: { type, days, start_date: from, end_date: to },
      missing_fields: open.map(([pointer]) => pointer),
    },
    reply: `好的,${known.filter(Boolean).join('')}。还需要:${open.map(([, name]) => name).join('、')}。`,
  };
}

/** The employee that the payload or else the sentence names. @throws PayloadError for an unknown id, or the name of another */
function employeeOf(ledger: LeaveLedger, given: Applicant | undefined, intent: string): Employee | undefined {
  if (given === undefined) {
    return ledger.employees.find(({ id, name }) => intent.includes(id) || intent.includes(name));
  }
  const employee = ledger.employees.find(({ id }) => id === given.id);
  if (employee === undefined) throw refusal('/applicant/id', 'the number of an employee', given.id);
  if (given.name !== undefined && given.name !== employee.name) {
    throw refusal('/applicant/name', `the name of ${given.id}`, given.name);
  }
  return employee;
}
