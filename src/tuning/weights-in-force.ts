import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import { canonicalDigest } from '../manifest/canonical-json.js';
import { Turns } from '../registry/turns.js';
import type { Weights } from '../routing/weights.js';
import type { ApplyOptions, Rollback, Tuning } from '../wire/tuning.js';
import type { Shadow, TuningStore, TuningVersion } from './tuning-store.js';
import { configuredSummary, newTuning, summaryOf } from './tuning-version.js';
import { misfitOf, whyUnusable } from './weights-fit.js';

export interface WeightsInForceParts {
  readonly store: TuningStore;
  readonly team: string;
  /** What the configuration names: number 0, in force where nothing that fits the models was applied. */
  readonly configured: Weights;
  readonly clock: Clock;
}

/** Weights that were kept and cannot be used any more. */
export interface Misfit {
  readonly weightsVersion: string;
  /** What is wrong with them, and what is done instead. */
  readonly sentence: string;
}

/** What decides, and on which kept version that rests. */
interface Serving {
  /** The newest version that was not rolled back; 0: there is none. */
  readonly top: number;
  /** The same where it can be used, else 0. */
  readonly number: number;
  readonly weights: Weights;
  readonly contentHash: string;
  readonly misfit?: Misfit;
}

/** What answers in the shadow. */
interface InShadow {
  readonly shadow: Shadow | null;
  readonly misfit?: Misfit;
}

/** Changes are few: they come one after the other. */
const ONE_TURN = ['tuning'];

const isStanding = ({ rolledBackAtMs }: TuningVersion) => rolledBackAtMs === null;

/** A store that came back empty gives a number again: then to other weights. */
const isOn = (version: TuningVersion | undefined, { number, contentHash }: Serving) =>
  version?.number === number && version.contentHash === contentHash;

const isSameShadow = (one: Shadow | null, other: Shadow | null) =>
  one !== null && one.sinceMs === other?.sinceMs && one.weights.version === other.weights.version;

/**
 * The weights by which decisions are made, and those that answer in their shadow. They change while intents are
 * answered: whoever decides asks once, and holds on to what it was given.
 */
export class WeightsInForce {
  readonly #parts: WeightsInForceParts;
  readonly #turns = new Turns();
  /** Where nothing was applied. */
  readonly #zero: Serving;
  #serving: Serving;
  #inShadow: InShadow = { shadow: null };

  private constructor(parts: WeightsInForceParts) {
    this.#parts = parts;
    const { configured } = parts;
    this.#zero = { top: 0, number: 0, weights: configured, contentHash: canonicalDigest(configured) };
    this.#serving = this.#zero;
  }

  /** With what an earlier process has left. @throws ReachError STORE_UNAVAILABLE */
  static async open(parts: WeightsInForceParts): Promise<WeightsInForce> {
    const opened = new WeightsInForce(parts);
    await opened.#load();
    return opened;
  }

  get current(): Weights {
    return this.#serving.weights;
  }

  /** Undefined: none answer beside the current ones. */
  get shadow(): Weights | undefined {
    return this.#inShadow.shadow?.weights;
  }

  /** What was not taken back, and is not used all the same. */
  get misfits(): readonly Misfit[] {
    return [this.#serving, this.#inShadow].flatMap(({ misfit }) => misfit ?? []);
  }

  /**
   * Takes over what another process has changed; what it did not change stays the very same.
   * @throws ReachError STORE_UNAVAILABLE: then all stays as it is
   */
  reload(): Promise<void> {
    return this.#turns.take(ONE_TURN, () => this.#load());
  }

  /** @throws ReachError STORE_UNAVAILABLE */
  tuning(): Promise<Tuning> {
    return this.#turns.take(ONE_TURN, () => this.#described());
  }

  /**
   * Puts weights into force. Who does not say what they build on builds on those that are in force now.
   * @throws ReachError WEIGHTS_FOREIGN, TUNING_CONFLICT, STORE_UNAVAILABLE
   */
  apply(weights: Weights, { note, basedOn = this.#serving.number }: ApplyOptions): Promise<Tuning> {
    const { store, team, clock } = this.#parts;
    return this.#turns.take(ONE_TURN, async () => {
      this.#refuseUnlessFitting(weights);
      this.#refuseUnlessCurrent(basedOn);
      // To check, to hash and to store those of a large catalogue takes long: others have their turn between.
      await setImmediate();
      const tuning = newTuning(weights, note ?? null, clock.now());
      await setImmediate();
      if (tuning.contentHash === this.#serving.contentHash) return this.#described();
      const versions = await store.versions(team);
      const { weights: configured, contentHash } = this.#zero;
      refuseNamesakes(tuning, [...versions, { weightsVersion: configured.version, contentHash }]);
      const version = await store.append(team, tuning, this.#serving.top);
      if (version === undefined) throw await this.#overtaken();
      this.#serving = {
        top: version.number,
        number: version.number,
        weights,
        contentHash: tuning.contentHash,
      };
      return this.#described();
    });
  }

  /**
   * Takes the newest back: those before it are in force again.
   * @throws ReachError TUNING_CONFLICT, TUNING_AT_FIRST, STORE_UNAVAILABLE
   */
  rollBack({ basedOn = this.#serving.number }: Rollback): Promise<Tuning> {
    const { store, team, clock } = this.#parts;
    return this.#turns.take(ONE_TURN, async () => {
      this.#refuseUnlessCurrent(basedOn);
      const { top, weights } = this.#serving;
      if (top === 0) {
        const detail = `What the configuration names (${weights.version}) is in force already.`;
        throw new ReachError('TUNING_AT_FIRST', detail);
      }
      const versions = await store.versions(team);
      const before = versions.find((version) => version.number < top && isStanding(version));
      const serving = await this.#servingOn(before);
      if (!(await store.rollBack(team, top, clock.now()))) throw await this.#overtaken();
      this.#serving = serving;
      return this.#described();
    });
  }

  /** Null: none answer beside the current ones any more. @throws ReachError WEIGHTS_FOREIGN, STORE_UNAVAILABLE */
  setShadow(weights: Weights | null): Promise<Tuning> {
    const { store, team, clock } = this.#parts;
    return this.#turns.take(ONE_TURN, async () => {
      if (weights !== null) this.#refuseUnlessFitting(weights);
      const shadow = weights && { weights, sinceMs: clock.now() };
      await store.setShadow(team, shadow);
      this.#inShadow = { shadow };
      return this.#described();
    });
  }

  async #load(): Promise<void> {
    const { store, team } = this.#parts;
    const top = (await store.versions(team)).find(isStanding);
    const serving = isOn(top, this.#serving) ? this.#serving : await this.#servingOn(top);
    const shadow = await store.shadow(team);
    this.#serving = serving;
    if (!isSameShadow(shadow, this.#inShadow.shadow)) this.#inShadow = this.#inShadowOf(shadow);
  }

  /** What serves where a version is the top. */
  async #servingOn(version: TuningVersion | undefined): Promise<Serving> {
    const { store, team, configured } = this.#parts;
    if (version === undefined) return this.#zero;
    const { number, weightsVersion, contentHash } = version;
    const weights = await store.weights(team, number);
    const why = whyUnusable(weights, configured);
    if (weights !== undefined && why === undefined) return { top: number, number, weights, contentHash };
    const sentence = `The weights ${weightsVersion}, applied as number ${number}, ${why}: what the configuration names (${configured.version}) serves.`;
    return { ...this.#zero, top: number, misfit: { weightsVersion, sentence } };
  }

  #inShadowOf(shadow: Shadow | null): InShadow {
    const why = shadow === null ? undefined : whyUnusable(shadow.weights, this.#parts.configured);
    if (shadow === null || why === undefined) return { shadow };
    const weightsVersion = shadow.weights.version;
    const sentence = `The weights ${weightsVersion} ${why}: nothing answers in the shadow of those in force.`;
    return { shadow: null, misfit: { weightsVersion, sentence } };
  }

  async #described(): Promise<Tuning> {
    const { store, team, configured } = this.#parts;
    const versions = await store.versions(team);
    const history = versions.map(summaryOf);
    const { shadow } = this.#inShadow;
    return {
      current: history.find(({ number }) => number === this.#serving.number) ?? configuredSummary(configured),
      history,
      shadow: shadow && {
        weightsVersion: shadow.weights.version,
        since: new Date(shadow.sinceMs).toISOString(),
      },
    };
  }

  #refuseUnlessFitting(weights: Weights): void {
    const why = misfitOf(weights, this.#parts.configured);
    if (why !== undefined) throw new ReachError('WEIGHTS_FOREIGN', `The weights ${weights.version} ${why}.`);
  }

  #refuseUnlessCurrent(basedOn: number): void {
    const { number, weights } = this.#serving;
    if (basedOn === number) return;
    const detail = `Number ${number} (${weights.version}) is in force by now, not number ${basedOn}.`;
    throw new ReachError('TUNING_CONFLICT', detail);
  }

  /** Another process has changed what is kept. */
  async #overtaken(): Promise<ReachError> {
    await this.#load();
    const { number, weights } = this.#serving;
    return new ReachError('TUNING_CONFLICT', `Number ${number} (${weights.version}) came first.`);
  }
}

type Named = Pick<TuningVersion, 'weightsVersion' | 'contentHash'>;

/** @throws ReachError TUNING_CONFLICT where weights of the same name have another content */
function refuseNamesakes({ weightsVersion, contentHash }: Named, known: readonly Named[]): void {
  const isNamesake = (other: Named) =>
    other.weightsVersion === weightsVersion && other.contentHash !== contentHash;
  if (!known.some(isNamesake)) return;
  const detail = `There are weights ${weightsVersion} of another content already: name these otherwise.`;
  throw new ReachError('TUNING_CONFLICT', detail);
}
