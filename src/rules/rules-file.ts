import { setTimeout as delay } from 'node:timers/promises';
import { ReachError } from '../errors.js';
import { formatFault } from '../manifest/check-manifests.js';
import { type FileChange, FollowedFile } from '../manifest/followed-file.js';
import { readRules } from './read-rules.js';
import { RULE_LIMITS, type Rule } from './rule.js';
import { missingNames, type NamedAgents } from './rule-names.js';

/** How often the file is looked at: one `stat`, which sees changes on every file system. */
const LOOK_MS = 500;
/** The pause between two looks while the file is being written. */
const PAUSE_MS = 50;
/** Missing names that a report spells out. */
const NAMES_TOLD = 3;

type FileState =
  | { readonly kind: 'in use' }
  | { readonly kind: 'absent' }
  /** What was read before stays in force. */
  | { readonly kind: 'broken'; readonly sentence: string };

/** The rules of a file that is followed: a change counts within a second, and only where all of it is right. */
export class RulesFile {
  readonly #path: string;
  readonly #isRequired: boolean;
  readonly #report: (message: string) => void;
  readonly #file: FollowedFile;
  readonly #closing = new AbortController();
  #rules: readonly Rule[] = [];
  #state: FileState = { kind: 'absent' };
  #running: Promise<void> = Promise.resolve();

  /**
   * `isRequired`: somebody named the file, so it should be there. `report` is told, in one sentence each, why rules
   * are not in use.
   */
  constructor(path: string, isRequired: boolean, report: (message: string) => void) {
    this.#path = path;
    this.#isRequired = isRequired;
    this.#report = report;
    this.#file = new FollowedFile(path, RULE_LIMITS.bytes);
  }

  /** In the order in which they are asked; another array where they have changed. */
  get rules(): readonly Rule[] {
    return this.#rules;
  }

  /**
   * Reads the file and follows it from then on. One that is broken is reported, and has no rules yet.
   * @throws ReachError CONFIG_INVALID where it is required and not there
   */
  async start(): Promise<void> {
    const change = await this.#file.first();
    if (change === undefined && this.#isRequired)
      throw new ReachError('CONFIG_INVALID', `There is no file of rules at ${this.#path}.`);
    if (change !== undefined) this.#take(change);
    this.#running = this.#follow();
  }

  /** `catalogue`: in which the names of the rules are looked up. */
  status(catalogue: NamedAgents): { readonly state: 'ok' | 'degraded'; readonly detail: string } {
    const inForce = this.#rules.length === 1 ? '1 rule' : `${this.#rules.length} rules`;
    switch (this.#state.kind) {
      case 'absent':
        return { state: this.#isRequired ? 'degraded' : 'ok', detail: `There is no file ${this.#path}.` };
      case 'broken':
        return { state: 'degraded', detail: `${this.#state.sentence} In force: ${inForce} read before.` };
      case 'in use': {
        const missing = missingNames(this.#rules, catalogue);
        const told = missing.slice(0, NAMES_TOLD).map(({ sentence }) => ` ${sentence}`);
        const more = missing.length > NAMES_TOLD ? ` And ${missing.length - NAMES_TOLD} more.` : '';
        return { state: 'ok', detail: `In force: ${inForce} of ${this.#path}.${told.join('')}${more}` };
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs = LOOK_MS;
    for (;;) {
      await delay(pauseMs, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      const { change, unsettled } = await this.#file.look();
      if (change !== undefined) this.#take(change);
      pauseMs = unsettled ? PAUSE_MS : LOOK_MS;
    }
  }

  #take(change: FileChange): void {
    if (change.kind === 'gone') {
      this.#rules = [];
      this.#state = { kind: 'absent' };
      this.#report(`The file of rules ${this.#path} is gone, and its rules with it.`);
      return;
    }
    const { rules, faults } = readRules(this.#path, change.text);
    const [first, ...others] = faults;
    if (first === undefined) {
      this.#rules = rules;
      this.#state = { kind: 'in use' };
      return;
    }
    const more = others.length > 0 ? `; and ${others.length} more` : '';
    this.#state = { kind: 'broken', sentence: `Rules are not in use: ${formatFault(first)}${more}.` };
    this.#report(this.#state.sentence);
  }
}
