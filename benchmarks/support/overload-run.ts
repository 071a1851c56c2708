import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DispatchRequestWire, Lane } from '../../src/wire/dispatch.js';
import { AskedProcess } from './asked-process.js';
import type { PacedAnswer, PacedOrder } from './paced-load-process.js';
import { startService } from './service-process.js';
import { withTemporaryFolder } from './temporary-folder.js';
import { WorkAgents } from './work-agents.js';
import { INTENTS, workManifest } from './work-manifests.js';

const INSTANCES = 2;
const SLOTS = 3;
const QUEUE = 40;
const P2_QUEUE = 400;
export const OVERLOAD_LANES = `P0=${SLOTS}/${QUEUE},P1=${SLOTS}/${QUEUE},P2=${SLOTS}/${P2_QUEUE}`;
const WORK_MS = 100;
/** Dispatches a second that the slots of one lane can take. */
export const CAPACITY = (INSTANCES * SLOTS * 1_000) / WORK_MS;
/** How long an accepted dispatch may wait, and be worked on. */
const DEADLINES = { seek_ms: 1_500, execute_ms: 1_000 };
const DEADLINE_MS = DEADLINES.seek_ms + DEADLINES.execute_ms;
const URGENT_A_SECOND = 20;
const FLOOD = 4;
const WARM_UP_SECONDS = 5;

export interface OverloadReport {
  readonly refusedMs: readonly number[];
  readonly acceptedMs: readonly number[];
  /** Accepted ones that failed, or were answered after their deadline; why. */
  readonly late: readonly string[];
}

/** How P0 was answered while nothing else was going on, and while P2 was flooded, in ms, sorted. */
export interface FloodReport {
  readonly quietMs: readonly number[];
  readonly floodedMs: readonly number[];
  /** P0 dispatches that were not completed; why. */
  readonly failed: readonly string[];
  /** P2 dispatches that found the queue full. */
  readonly refused: number;
}

type Load = AskedProcess<PacedOrder, PacedAnswer[]>;

/** A service whose lanes are narrow, with callers in processes of their own. */
export class Overload {
  readonly #service: string;
  readonly #urgent: Load;
  readonly #many: Load;

  private constructor(service: string, urgent: Load, many: Load) {
    this.#service = service;
    this.#urgent = urgent;
    this.#many = many;
  }

  static async with<Result>(run: (overload: Overload) => Promise<Result>): Promise<Result> {
    const agents = await WorkAgents.open(INSTANCES, false);
    const loads: [Load, Load] = [
      new AskedProcess('./paced-load-process.ts'),
      new AskedProcess('./paced-load-process.ts'),
    ];
    try {
      return await withTemporaryFolder(async (data) => {
        const manifests = join(data, 'manifests');
        mkdirSync(manifests);
        const addresses = agents.ports.map((port) => `http://127.0.0.1:${port}`);
        const manifest = JSON.stringify(workManifest('archive', addresses));
        writeFileSync(join(manifests, 'archive.json'), manifest);
        const service = await startService('serve', {
          REACH_DATA: data,
          REACH_MANIFESTS: manifests,
          REACH_ENGLISH_MODEL: 'false',
          REACH_LANES: OVERLOAD_LANES,
        });
        try {
          const overload = new Overload(service.url, ...loads);
          await overload.#warmUp();
          return await run(overload);
        } finally {
          await service.stop();
        }
      });
    } finally {
      await Promise.all([agents, ...loads].map((each) => each.close()));
    }
  }

  /** Sends so many times as much as can be taken. */
  async beyondCapacity(times: number, seconds: number): Promise<OverloadReport> {
    const order = this.#order('P1', CAPACITY * times, seconds);
    const answers = await this.#many.ask(order);
    const refused = answers.filter(({ code }) => code === 'OVERLOADED');
    const accepted = answers.filter(({ code }) => code !== 'OVERLOADED');
    const late = accepted.filter(({ code, tookMs }) => code !== undefined || tookMs > DEADLINE_MS);
    return {
      refusedMs: sortedTimes(refused),
      acceptedMs: sortedTimes(accepted),
      late: late.map(({ code, tookMs }) => `${code ?? 'completed'} after ${Math.round(tookMs)} ms`),
    };
  }

  /** P0 for so long alone and for so long while P2 gets several times what it can take, in turn. */
  async flooded(rounds: number, seconds: number): Promise<FloodReport> {
    const urgent = () => this.#urgent.ask(this.#order('P0', URGENT_A_SECOND, seconds));
    const quiet: PacedAnswer[] = [];
    const flooded: PacedAnswer[] = [];
    let refused = 0;
    for (let round = 0; round < rounds; round += 1) {
      quiet.push(...(await urgent()));
      const [answers, flood] = await Promise.all([
        urgent(),
        this.#many.ask(this.#order('P2', CAPACITY * FLOOD, seconds)),
      ]);
      flooded.push(...answers);
      refused += flood.filter(({ code }) => code === 'OVERLOADED').length;
    }
    const failed = [...quiet, ...flooded].flatMap(({ code }) => code ?? []);
    return { quietMs: sortedTimes(quiet), floodedMs: sortedTimes(flooded), failed, refused };
  }

  /** The first requests of a service wait for the model, and run through code that was never run. */
  async #warmUp(): Promise<void> {
    await this.#many.ask(this.#order('P1', CAPACITY / 2, WARM_UP_SECONDS));
  }

  #order(lane: Lane, perSecond: number, seconds: number): PacedOrder {
    const body: DispatchRequestWire = {
      intent: INTENTS.read,
      payload: { work_ms: WORK_MS, way: 'plain' },
      lane,
      ...(lane === 'P1' && { deadlines: DEADLINES }),
    };
    return { service: this.#service, body, perSecond, seconds };
  }
}

const sortedTimes = (answers: readonly PacedAnswer[]) =>
  answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
