import { setTimeout } from 'node:timers/promises';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { type Fleet, fleetMembers } from './fleet.js';
import type { FleetMember } from './fleet-process.js';
import { sendJson } from './send-json.js';
import type { ServiceProcess } from './service-process.js';

const INSTANCES = 200;
export const SOAK_AGENTS = 10;
const ROUTES_A_SECOND = 200;
/** Between two changes of membership. */
const CHANGE_EVERY_MS = 250;
/** How long one that flaps is up, and how long it is down. */
const FLAP_MS = 20_000;
/** Of the members so many flap for ever. */
const FLAPPING = 5;
/** Routes are sent in bunches of a tenth of a second's. */
const BUNCHES_A_SECOND = 10;
/** Memory is the mean of so many looks. */
const MEMORY_LOOKS = 5;

export interface SoakReport {
  readonly seconds: number;
  readonly routes: number;
  /** Those of them that named an instance, and so could be checked. */
  readonly named: number;
  /** Routes that were answered by an error. */
  readonly failed: readonly string[];
  /** Decisions that named an instance which had left, or an address that it had given up, before they were asked for. */
  readonly stale: readonly string[];
  readonly changes: number;
  /** Memory at the end by that after a fifth of the time. */
  readonly memoryRatio: number;
}

/** What is true of a member since its last change was answered; while one is under way nothing can be said. */
interface Truth {
  readonly address: string | undefined;
  readonly since: number;
  readonly changing: boolean;
}

/** Lets a fleet join, leave, move and flap for a while, asks for routes all along, and checks each decision. */
export class SoakRun {
  readonly #service: ServiceProcess;
  readonly #fleet: Fleet;
  readonly #intents: readonly string[];
  readonly #random = seededRandom(1);
  readonly #truths = new Map<string, Truth>();
  readonly #failed: string[] = [];
  readonly #stale: string[] = [];
  #routes = 0;
  #named = 0;
  #changes = 0;

  constructor(service: ServiceProcess, fleet: Fleet, intents: readonly string[]) {
    this.#service = service;
    this.#fleet = fleet;
    this.#intents = intents;
  }

  async run(seconds: number): Promise<SoakReport> {
    const members = fleetMembers(INSTANCES, SOAK_AGENTS);
    await this.#change(members, (all) => this.#fleet.join(all));
    const startedAt = performance.now();
    const end = startedAt + seconds * 1_000;
    const earlyMemory = setTimeout(seconds * 200).then(() => this.#memoryMb());
    await Promise.all([
      this.#askUntil(end),
      this.#churnUntil(end, members.slice(FLAPPING)),
      this.#flapUntil(end, members.slice(0, FLAPPING)),
    ]);
    const memoryRatio = (await this.#memoryMb()) / (await earlyMemory);
    return {
      seconds,
      routes: this.#routes,
      named: this.#named,
      failed: this.#failed,
      stale: this.#stale,
      changes: this.#changes,
      memoryRatio,
    };
  }

  async #memoryMb(): Promise<number> {
    let sum = 0;
    for (let look = 0; look < MEMORY_LOOKS; look += 1) {
      sum += this.#service.memoryMb();
      await setTimeout(200);
    }
    return sum / MEMORY_LOOKS;
  }

  async #askUntil(end: number): Promise<void> {
    const startedAt = performance.now();
    const asked: Promise<void>[] = [];
    for (let bunch = 0; performance.now() < end; bunch += 1) {
      for (let i = 0; i < ROUTES_A_SECOND / BUNCHES_A_SECOND; i += 1) asked.push(this.#ask());
      await setTimeout(Math.max(0, startedAt + (bunch + 1) * (1_000 / BUNCHES_A_SECOND) - performance.now()));
    }
    await Promise.all(asked);
  }

  async #ask(): Promise<void> {
    const sentAt = performance.now();
    const intent = this.#intents[Math.floor(this.#random() * this.#intents.length)] ?? '';
    const named = { agent_name: `fleet-${Math.floor(this.#random() * SOAK_AGENTS)}` };
    const request = this.#random() < 0.5 ? { intent, threshold: 0 } : named;
    try {
      const decision = await sendJson('POST', `${this.#service.url}/api/v1/route`, request);
      this.#routes += 1;
      this.#check(decision, sentAt);
    } catch (error) {
      this.#failed.push(String(error));
    }
  }

  #check(decision: Record<string, unknown>, sentAt: number): void {
    const { instance_id: instanceId, target_address: address } = decision;
    if (typeof instanceId !== 'string') return;
    this.#named += 1;
    const truth = this.#truths.get(instanceId);
    if (truth === undefined || truth.changing || truth.since > sentAt || truth.address === address) return;
    this.#stale.push(`${instanceId} at ${address}, which is at ${truth.address ?? 'no address any more'}`);
  }

  async #churnUntil(end: number, members: readonly FleetMember[]): Promise<void> {
    const gone = new Set<FleetMember>();
    while (performance.now() < end) {
      await setTimeout(CHANGE_EVERY_MS);
      const member = members[Math.floor(this.#random() * members.length)];
      if (member === undefined) continue;
      if (gone.delete(member)) await this.#change([member], (one) => this.#fleet.restart(one));
      else if (this.#random() < 0.5) await this.#change([member], (one) => this.#fleet.move(one));
      else {
        gone.add(member);
        await this.#change([member], (one) => this.#fleet.leave(one), false);
      }
    }
  }

  async #flapUntil(end: number, members: readonly FleetMember[]): Promise<void> {
    for (let down = true; performance.now() < end; down = !down) {
      await setTimeout(Math.min(FLAP_MS, Math.max(0, end - performance.now())));
      if (down) await this.#fleet.kill(members);
      else await this.#change(members, (all) => this.#fleet.restart(all));
    }
  }

  async #change(
    members: readonly FleetMember[],
    change: (members: readonly FleetMember[]) => ReturnType<Fleet['join']>,
    stays = true,
  ): Promise<void> {
    const note = ({ instanceId }: FleetMember, address: string | undefined, changing: boolean) =>
      this.#truths.set(instanceId, { address, changing, since: performance.now() });
    for (const member of members) note(member, undefined, true);
    const { addresses } = await change(members);
    for (const [index, member] of members.entries())
      note(member, stays ? addresses[index] : undefined, false);
    this.#changes += members.length;
  }
}
