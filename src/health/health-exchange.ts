import type { Clock } from '../clock.js';
import type { Membership } from '../cluster/membership.js';
import type { MessageBus } from '../cluster/message-bus.js';
import type { Shares } from '../cluster/shares.js';
import { instanceKey } from '../registry/instance.js';
import { Rounds } from '../rounds.js';
import { type Finding, type HealthNews, isHealthNews } from './health-news.js';
import type { InstanceRecord } from './instance-record.js';
import type { HealthTeller, InstanceTable } from './instance-table.js';
import { LoadElsewhere } from './load-elsewhere.js';

const TOPIC = 'health';
/** So often the others are told how many calls are under way. */
const LOAD_TOLD_EVERY_MS = 1_000;
/** Between two answers to those who ask what is known: each is heard by all. */
const ANSWERS_APART_MS = 1_000;
/** Instances of an answer that are told at once, and the time between, in ms: the others have their turn. */
const SLICE = 500;
const SLICES_APART_MS = 20;

/** What a replica says that knows nothing yet, or has missed something. */
const QUESTION = { ask: true };

export interface HealthExchangeParts {
  readonly instances: InstanceTable;
  readonly bus: MessageBus;
  readonly shares: Shares;
  readonly isLiving: Membership['isLiving'];
  readonly team: string;
  readonly clock: Clock;
}

/** Tells other replicas what is seen here of instances, and learns from them what they see, so that all show the same states. */
export class HealthExchange implements HealthTeller {
  readonly #parts: HealthExchangeParts;
  readonly #elsewhere = new LoadElsewhere();
  /** Where calls have begun or ended since the last round. */
  readonly #worked = new Set<InstanceRecord>();
  /** What the others were told of calls under way, where it is not 0. */
  readonly #toldLoad = new Map<InstanceRecord, number>();
  readonly #rounds: Rounds;
  readonly #stops: (() => void)[] = [];
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #stopAnswer: (() => void) | undefined;

  constructor(parts: HealthExchangeParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(async () => this.#tellLoads(), LOAD_TOLD_EVERY_MS, parts.clock);
  }

  /** Begins once the instances are known: the others are asked what they know of them. */
  start(): void {
    const { instances, bus, shares, team } = this.#parts;
    this.#stops.push(
      bus.listen(team, TOPIC, (message, from) => this.#hear(message, from)),
      bus.onGap(() => this.#ask()),
      shares.onChange(() => this.#learnLoads(this.#elsewhere.keepOnly(this.#parts.isLiving))),
    );
    instances.tellTo(this);
    this.#rounds.beginLater();
    this.#ask();
  }

  found(record: InstanceRecord, finding: Finding): void {
    this.#send(record, finding);
  }

  worked(record: InstanceRecord): void {
    this.#worked.add(record);
  }

  left(record: InstanceRecord): void {
    this.#worked.delete(record);
    if (this.#toldLoad.delete(record)) this.#send(record, { kind: 'load', inFlight: 0 });
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#stopAnswer?.();
    await this.#rounds.close();
  }

  #send({ instance: { agentName, instanceId, address } }: InstanceRecord, finding: Finding): void {
    const news: HealthNews = { agentName, instanceId, address, finding };
    this.#parts.bus.send(this.#parts.team, TOPIC, news);
  }

  #ask(): void {
    this.#parts.bus.send(this.#parts.team, TOPIC, QUESTION);
  }

  #hear(message: unknown, from: string): void {
    // What a newer version says that this one does not understand is passed over.
    if (isHealthNews(message)) {
      if (message.finding.kind === 'load') {
        this.#learnLoads([this.#elsewhere.set(from, message, message.finding.inFlight)]);
      } else {
        this.#parts.instances.learn(message);
      }
    } else if (isQuestion(message)) {
      this.#answerSoon();
    }
  }

  #learnLoads(loads: readonly HealthNews[]): void {
    for (const news of loads) this.#parts.instances.learn(news);
  }

  #tellLoads(): void {
    for (const record of this.#worked) {
      const { inFlight } = record.health;
      if (inFlight === (this.#toldLoad.get(record) ?? 0)) continue;
      if (inFlight === 0) this.#toldLoad.delete(record);
      else this.#toldLoad.set(record, inFlight);
      this.#send(record, { kind: 'load', inFlight });
    }
    this.#worked.clear();
  }

  /** Who asks while an answer is on its way, or has just been given, waits for the next one with the others. */
  #answerSoon(): void {
    if (this.#stopAnswer !== undefined) return;
    const { clock } = this.#parts;
    const delayMs = Math.max(0, this.#answeredAtMs + ANSWERS_APART_MS - clock.monotonic());
    this.#stopAnswer = clock.after(delayMs, () => {
      for (const [record, inFlight] of this.#toldLoad) this.#send(record, { kind: 'load', inFlight });
      this.#answer([...this.#parts.instances.records()]);
    });
  }

  /** What probes have come to is told by who probes; what calls have found, by all. */
  #answer(records: readonly InstanceRecord[]): void {
    const { instances, shares, clock } = this.#parts;
    for (const record of records.slice(0, SLICE)) {
      const isOurs = shares.owns(instanceKey(record.instance));
      for (const finding of instances.findingsOf(record))
        if (isOurs || finding.kind !== 'probes') this.#send(record, finding);
    }
    const rest = records.slice(SLICE);
    this.#answeredAtMs = clock.monotonic();
    this.#stopAnswer = rest.length === 0 ? undefined : clock.after(SLICES_APART_MS, () => this.#answer(rest));
  }
}

function isQuestion(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'ask' in message;
}
