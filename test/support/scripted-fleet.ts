import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { ProbeClient, ProbeResult, ProbeTarget, ReachabilityReport } from '../../src/health/probe.js';
import { Prober } from '../../src/health/prober.js';
import { HandClock } from './hand-clock.js';

export const OK: ProbeResult = { kind: 'ok', rttMs: 1 };
export const UNREACHABLE: ProbeResult = { kind: 'failed', by: 'network', detail: 'connection refused' };
export const ERROR: ProbeResult = { kind: 'failed', by: 'answer', detail: 'it answered 500' };
export const NEEDS_AUTH: ProbeResult = { kind: 'needs_auth', detail: 'it answered 401' };

/** Shorter than what counts as a stall. */
const STEP_MS = 50;

export function targetOf(instanceId: string, overrides: Partial<ProbeTarget> = {}): ProbeTarget {
  const url = `http://agent.example/${instanceId}`;
  return { agentName: 'reports', instanceId, url, everyMs: 5_000, ...overrides };
}

export function targets(count: number, from = 0): ProbeTarget[] {
  return Array.from({ length: count }, (_, index) => targetOf(String(from + index)));
}

/** A prober over instances that answer as the test says, in time that passes by hand. */
export class ScriptedFleet implements ProbeClient {
  readonly clock = new HandClock();
  /** What was probed, in order. */
  readonly asked: { readonly url: string; readonly atMs: number }[] = [];
  /** What was told, in order. */
  readonly told: { readonly instanceId: string; readonly result: ProbeResult }[] = [];
  readonly reports: ReachabilityReport[] = [];
  running = 0;
  mostRunning = 0;
  answerTo: (url: string) => ProbeResult | Promise<ProbeResult> = () => OK;
  /** Told of each result before the prober goes on. */
  onProbed: (instanceId: string) => void = () => {};
  readonly prober: Prober;
  #endAll: (result: ProbeResult) => void = () => {};
  readonly #closed = new Promise<ProbeResult>((resolve) => {
    this.#endAll = resolve;
  });

  constructor(random: () => number = Math.random) {
    this.prober = new Prober({
      clock: this.clock,
      client: this,
      random,
      observer: {
        probed: (_, instanceId, result) => {
          this.told.push({ instanceId, result });
          this.onProbed(instanceId);
        },
        reachabilityChanged: (report) => this.reports.push(report),
      },
    });
    onTestFinished(() => this.prober.close());
  }

  async probe(url: string): Promise<ProbeResult> {
    this.asked.push({ url, atMs: this.clock.monotonic() });
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      return await Promise.race([this.answerTo(url), this.#closed]);
    } finally {
      this.running -= 1;
    }
  }

  close(): void {
    this.#endAll(UNREACHABLE);
  }

  probeAll(all: readonly ProbeTarget[]): void {
    for (const target of all) this.prober.probe(target);
  }

  /** In steps that are no stalls; answers come in between. */
  async pass(durationMs: number): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += STEP_MS) {
      this.clock.pass(STEP_MS);
      await nextTurn();
    }
  }

  toldOf(instanceId: string): ProbeResult[] {
    return this.told.filter((entry) => entry.instanceId === instanceId).map(({ result }) => result);
  }

  askedAt({ url }: ProbeTarget): number[] {
    return this.asked.filter((entry) => entry.url === url).map(({ atMs }) => atMs);
  }
}
