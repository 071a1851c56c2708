import type { CalendarDate } from '../calendar-date.js';
import data from '../data/employees.json' with { type: 'json' };

export const LEAVE_TYPES = ['annual', 'sick', 'personal', 'marriage'] as const;
export type LeaveType = (typeof LEAVE_TYPES)[number];

export interface Employee {
  readonly id: string;
  readonly name: string;
  /** Working days a year. */
  readonly days: Readonly<Record<LeaveType, number>>;
}

/** A leave that was asked for; both dates are included. */
export interface LeaveRequest {
  readonly employee: Employee;
  readonly type: LeaveType;
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  readonly workingDays: number;
}

interface Leave extends LeaveRequest {
  readonly id: string;
  readonly cancelled: boolean;
}

export type LeaveDecision =
  | { readonly state: 'submitted'; readonly leave: Leave }
  | { readonly state: 'refused'; readonly because: 'balance' | 'overlap' };

/** The employees of the data file, and the leaves that were submitted since this process started. */
export class LeaveLedger {
  readonly employees: readonly Employee[] = data;
  readonly #leaves = new Map<string, Leave>();

  /** Books a leave where the days suffice and none of the same person overlaps with it. */
  submit(request: LeaveRequest): LeaveDecision {
    const taken = this.#leavesOf(request.employee);
    if (taken.some(({ from, to }) => from <= request.to && request.from <= to)) {
      return { state: 'refused', because: 'overlap' };
    }
    if (request.workingDays > this.remaining(request.employee, request.type)) {
      return { state: 'refused', because: 'balance' };
    }
    const id = `LV-${String(this.#leaves.size + 1).padStart(4, '0')}`;
    const leave: Leave = { ...request, id, cancelled: false };
    this.#leaves.set(id, leave);
    return { state: 'submitted', leave };
  }

  /** Cancels a leave, once or again, and gives its days back; undefined where there is none of this id. */
  cancel(id: string): Leave | undefined {
    const leave = this.#leaves.get(id);
    if (leave === undefined) return undefined;
    const cancelled: Leave = { ...leave, cancelled: true };
    this.#leaves.set(id, cancelled);
    return cancelled;
  }

  /** The working days of a type that an employee still has. */
  remaining(employee: Employee, type: LeaveType): number {
    const used = this.#leavesOf(employee)
      .filter((leave) => leave.type === type)
      .reduce((sum, { workingDays }) => sum + workingDays, 0);
    return employee.days[type] - used;
  }

  #leavesOf(employee: Employee): readonly Leave[] {
    return [...this.#leaves.values()].filter(
      (leave) => leave.employee.id === employee.id && !leave.cancelled,
    );
  }
}
