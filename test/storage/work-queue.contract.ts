import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { QueuedWork, WorkQueue } from '../../src/requests/work-queue.js';
import type { Lane } from '../../src/wire/dispatch.js';
import { until } from '../support/until.js';
import type { OpenedStore } from './catalogue-store.contract.js';

const work = (index: number, lane: Lane = 'P1'): QueuedWork => ({ requestId: `r-${index}`, lane });
const AT_ONCE = { P0: 2, P1: 2, P2: 1 };

/** What every WorkQueue does, whatever it is kept in. */
export function workQueueContract(name: string, open: () => Promise<OpenedStore<WorkQueue>>): void {
  describe(`${name} as a WorkQueue`, () => {
    let opened: OpenedStore<WorkQueue>;
    let queue: WorkQueue;
    /** What was handed over, in order, and how it is settled. */
    const begun: string[] = [];
    const settle = new Map<string, (how: 'well' | 'badly') => void>();
    const carryOut = ({ requestId }: QueuedWork) => {
      begun.push(requestId);
      return new Promise<void>((resolve, reject) => {
        settle.set(requestId, (how) => (how === 'well' ? resolve() : reject(new Error('badly'))));
      });
    };

    beforeEach(async () => {
      begun.length = 0;
      opened = await open();
      queue = opened.store;
    });
    afterEach(() => opened.close());

    test('hands over the oldest of each lane first, so many at a time, once it is started', async () => {
      for (let index = 0; index < 4; index += 1) await queue.add('t', work(index));
      await queue.add('t', work(7, 'P2'));
      expect(queue.counts('t')).toEqual({
        waiting: { P0: 0, P1: 4, P2: 1 },
        running: { P0: 0, P1: 0, P2: 0 },
      });
      await queue.start('t', carryOut, AT_ONCE);
      expect(begun).toEqual(['r-0', 'r-1', 'r-7']);
      expect(queue.counts('t')).toEqual({
        waiting: { P0: 0, P1: 2, P2: 0 },
        running: { P0: 0, P1: 2, P2: 1 },
      });
      settle.get('r-1')?.('badly');
      await until(() => begun.length === 4);
      await queue.add('t', work(8, 'P0'));
      expect(begun).toEqual(['r-0', 'r-1', 'r-7', 'r-2', 'r-8']);
      for (const requestId of ['r-0', 'r-2', 'r-7', 'r-8']) settle.get(requestId)?.('well');
      await until(() => begun.length === 6);
      settle.get('r-3')?.('well');
      await until(() => queue.counts('t').running.P1 === 0);
      // Known failure: queue counts that drift.
      const none = { P0: 0, P1: 0, P2: 0 };
      await until(() => queue.counts('t').running.P2 === 0 && queue.counts('t').running.P0 === 0);
      expect(queue.counts('t')).toEqual({ waiting: none, running: none });
    });

    test('does not add again what waits or runs, and does what is done', async () => {
      await queue.add('t', work(1));
      await queue.add('t', work(1));
      await queue.start('t', carryOut, AT_ONCE);
      await queue.add('t', work(1));
      expect(begun).toEqual(['r-1']);
      settle.get('r-1')?.('well');
      await until(() => queue.counts('t').running.P1 === 0);
      await queue.add('t', work(1));
      expect(begun).toEqual(['r-1', 'r-1']);
      settle.get('r-1')?.('well');
    });

    test('keeps teams apart', async () => {
      await queue.add('t', work(1));
      await queue.start('u', carryOut, AT_ONCE);
      expect(begun).toEqual([]);
      expect(queue.counts('u').waiting.P1).toBe(0);
    });

    test('hands nothing over once it closes, and waits for what runs', async () => {
      await queue.start('t', carryOut, { P0: 1, P1: 1, P2: 1 });
      await queue.add('t', work(1));
      await queue.add('t', work(2));
      let isClosed = false;
      const closed = queue.close().then(() => {
        isClosed = true;
      });
      await new Promise(setImmediate);
      expect(isClosed).toBe(false);
      settle.get('r-1')?.('well');
      await closed;
      expect(begun).toEqual(['r-1']);
      expect(queue.counts('t').waiting.P1).toBe(1);
    });
  });
}
