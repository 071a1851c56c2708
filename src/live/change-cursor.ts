import type { ChangeEvent, ChangeFilter } from '../wire/live.js';
import { type ChangeLog, isWanted } from './change-log.js';

/** What a follower names to go on after it. */
interface Place {
  /** Of one run of the service. */
  readonly boot: string;
  readonly seq: number;
}

const idOf = ({ boot, seq }: Place) => `${boot}-${seq}`;

/** How far one follower is in the log. It holds nothing of it: whoever is slow costs no memory, and finds a gap. */
export class ChangeCursor {
  readonly #log: ChangeLog;
  readonly #boot: string;
  readonly #filter: ChangeFilter;
  /** The last change that was told or passed over; undefined where the follower comes from an earlier run. */
  #seq: number | undefined;

  /** Goes on after `lastEventId`; without it, with what happens next. */
  constructor(log: ChangeLog, boot: string, filter: ChangeFilter, lastEventId?: string) {
    this.#log = log;
    this.#boot = boot;
    this.#filter = filter;
    this.#seq = lastEventId === undefined ? log.last : this.#seqOf(lastEventId);
  }

  /** What resumes where this one is now. */
  get id(): string {
    return idOf({ boot: this.#boot, seq: this.#seq ?? this.#log.oldest - 1 });
  }

  /** The next event; undefined where there is none yet. */
  take(): ChangeEvent | undefined {
    const lostUpTo = this.#log.oldest - 1;
    let seq = this.#seq;
    if (seq === undefined || seq < lostUpTo) {
      const data = { fromSeq: seq === undefined ? null : seq + 1, toSeq: lostUpTo };
      this.#seq = lostUpTo;
      return { event: 'gap', id: this.id, data };
    }
    while (seq < this.#log.last) {
      seq += 1;
      this.#seq = seq;
      const logged = this.#log.at(seq);
      if (logged && isWanted(logged, this.#filter))
        return { event: 'change', id: this.id, data: logged.change };
    }
    return undefined;
  }

  /** Undefined for what is no id of this run: then nobody knows what was missed. */
  #seqOf(lastEventId: string): number | undefined {
    const seq = Number(lastEventId.slice(this.#boot.length + 1));
    const isOurs = Number.isInteger(seq) && lastEventId === idOf({ boot: this.#boot, seq });
    return isOurs && seq <= this.#log.last ? seq : undefined;
  }
}
