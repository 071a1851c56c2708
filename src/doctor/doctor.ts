import type { Clock } from '../clock.js';
import { type DoctorReport, type Finding, SEVERITIES } from '../wire/doctor.js';

/** One kind of thing to look for. What it cannot find out now it leaves out, or throws: the others go on. */
export interface DoctorCheck {
  /** Stable: it stands in every finding. */
  readonly name: string;
  /** The findings, without the name of the check. */
  examine(): Promise<readonly Found[]> | readonly Found[];
}

export type Found = Omit<Finding, 'check'>;

/** Between two examinations, in ms. */
const EVERY_MS = 300_000;
/** Findings that a report holds of one check. */
const MOST_OF_A_CHECK = 100;

/** Looks at regular times for what nobody complains of and somebody should know. */
export class Doctor {
  readonly #checks: readonly DoctorCheck[];
  readonly #clock: Clock;
  #latest: Promise<DoctorReport> | undefined;
  #stopTimer: () => void = () => {};

  constructor(checks: readonly DoctorCheck[], clock: Clock) {
    this.#checks = checks;
    this.#clock = clock;
  }

  /** From now on it looks every five minutes. */
  start(): void {
    this.#stopTimer = this.#clock.after(EVERY_MS, () => {
      this.#latest = this.#examine();
      this.start();
    });
  }

  close(): void {
    this.#stopTimer();
  }

  /** The latest report; the first one is made when it is asked for. Never rejects. */
  report(): Promise<DoctorReport> {
    this.#latest ??= this.#examine();
    return this.#latest;
  }

  async #examine(): Promise<DoctorReport> {
    const checkedAt = new Date(this.#clock.now()).toISOString();
    const found = await Promise.all(this.#checks.map(findingsOf));
    const findings = found.flatMap((ofCheck) => bySeverity(ofCheck).slice(0, MOST_OF_A_CHECK));
    const all = found.reduce((sum, ofCheck) => sum + ofCheck.length, 0);
    return { checkedAt, findings: bySeverity(findings), leftOut: all - findings.length };
  }
}

function bySeverity(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

/** A check that fails is a finding itself: what it looks for is not known to be absent. */
async function findingsOf({ name, examine }: DoctorCheck): Promise<Finding[]> {
  try {
    return (await examine()).map((found) => ({ check: name, ...found }));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return [
      {
        check: name,
        severity: 'warning',
        subject: name,
        sentence: `This check could not be made: ${why}`,
        advice: 'Look at /health for the part that fails.',
      },
    ];
  }
}
