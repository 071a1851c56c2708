import { groupedBy } from '../../src/evaluation/grouped-by.js';

/** One operation on one key, as its caller saw it. Times are of one clock, whoever called. */
export interface SeenOperation<Asked, Answered> {
  readonly key: string;
  readonly asked: Asked;
  /** Undefined where nobody knows: it may have taken effect at any time since, or never. */
  readonly answered: Answered | undefined;
  readonly beganAt: number;
  readonly endedAt: number;
}

/** What one key does, one operation after the other. */
export interface SequentialModel<State, Asked, Answered> {
  readonly start: State;
  /** The state after an operation that was answered so; undefined where it cannot have been. `answered` undefined: not known. */
  step(state: State, asked: Asked, answered: Answered | undefined): State | undefined;
}

/** A place in the list of what began and ended, in order. */
interface Entry<Asked, Answered> {
  readonly operation: SeenOperation<Asked, Answered>;
  readonly index: number;
  /** Of a beginning: where it ended; undefined where nobody knows. */
  end: Entry<Asked, Answered> | undefined;
  readonly begins: boolean;
  before: Entry<Asked, Answered> | undefined;
  after: Entry<Asked, Answered> | undefined;
}

/** The keys whose history no order explains in which each operation takes effect at one moment between its beginning and its end. */
export function notLinearizable<State, Asked, Answered>(
  history: readonly SeenOperation<Asked, Answered>[],
  model: SequentialModel<State, Asked, Answered>,
): string[] {
  const keys = groupedBy(history, ({ key }) => key);
  return [...keys].filter(([, operations]) => !isLinearizable(operations, model)).map(([key]) => key);
}

/**
 * Whether the history of one key is linearizable. The search of Wing and Gong with the memory of Lowe ("Testing for
 * linearizability", 2017): an operation may be next that began before any that is left has ended; what has been reached
 * once by the same operations in the same state is not tried again.
 */
function isLinearizable<State, Asked, Answered>(
  operations: readonly SeenOperation<Asked, Answered>[],
  model: SequentialModel<State, Asked, Answered>,
): boolean {
  const head = listOf(operations);
  const tried = new Set<string>();
  const taken: { readonly entry: Entry<Asked, Answered>; readonly state: State }[] = [];
  let left = operations.filter(({ answered }) => answered !== undefined).length;
  let state = model.start;
  let done = 0n;
  let entry = head.after;
  while (left > 0) {
    if (entry?.begins) {
      const { asked, answered } = entry.operation;
      const next = model.step(state, asked, answered);
      const reached = done | (1n << BigInt(entry.index));
      const way = `${reached.toString(36)} ${JSON.stringify(next)}`;
      if (next === undefined || tried.has(way)) {
        entry = entry.after;
        continue;
      }
      tried.add(way);
      taken.push({ entry, state });
      state = next;
      done = reached;
      if (answered !== undefined) left -= 1;
      takeOut(entry);
      entry = head.after;
      continue;
    }
    // One has ended here that had no effect yet: something before it was wrong.
    const last = taken.pop();
    if (last === undefined) return false;
    putBack(last.entry);
    state = last.state;
    done ^= 1n << BigInt(last.entry.index);
    if (last.entry.operation.answered !== undefined) left += 1;
    entry = last.entry.after;
  }
  return true;
}

function listOf<Asked, Answered>(
  operations: readonly SeenOperation<Asked, Answered>[],
): { after: Entry<Asked, Answered> | undefined } {
  const entries = operations.flatMap((operation, index) => {
    const begin: Entry<Asked, Answered> = {
      ...{ operation, index, end: undefined, begins: true },
      ...{ before: undefined, after: undefined },
    };
    if (operation.answered === undefined) return [begin];
    const end: Entry<Asked, Answered> = { ...begin, begins: false };
    begin.end = end;
    return [begin, end];
  });
  const timeOf = ({ begins, operation }: Entry<Asked, Answered>) =>
    begins ? operation.beganAt : operation.endedAt;
  // Of the same moment what began goes first: both orders are possible then.
  entries.sort((one, other) => timeOf(one) - timeOf(other) || Number(other.begins) - Number(one.begins));
  const head: Entry<Asked, Answered> = {
    ...{ operation: {} as SeenOperation<Asked, Answered>, index: -1, end: undefined, begins: false },
    ...{ before: undefined, after: undefined },
  };
  let last = head;
  for (const entry of entries) {
    last.after = entry;
    entry.before = last;
    last = entry;
  }
  return head;
}

function takeOut<Asked, Answered>(entry: Entry<Asked, Answered>): void {
  for (const each of [entry, entry.end]) {
    if (each?.before !== undefined) each.before.after = each.after;
    if (each?.after !== undefined) each.after.before = each.before;
  }
}

function putBack<Asked, Answered>(entry: Entry<Asked, Answered>): void {
  for (const each of [entry.end, entry]) {
    if (each?.before !== undefined) each.before.after = each;
    if (each?.after !== undefined) each.after.before = each;
  }
}
