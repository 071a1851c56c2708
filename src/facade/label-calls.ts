import type { Clock } from '../clock.js';
import { quoted, ReachError, sentenceOf } from '../errors.js';
import { CapabilityNames } from '../evaluation/capability-names.js';
import { labelAt, langOf, type SaidLabel } from '../labels/label.js';
import { reviewOf } from '../labels/label-review.js';
import type { Labels } from '../labels/open-labels.js';
import type { StoredLabel } from '../labels/stored-label.js';
import { PERIODS } from '../record/trend-store.js';
import { didYouMean } from '../registry/nearest-names.js';
import type { Registry } from '../registry/registry.js';
import { readIntent } from '../routing/read-request.js';
import { SingleFlight } from '../single-flight.js';
import { camelCheckOf } from '../wire/check.js';
import {
  type Label,
  type LabelAddition,
  LabelAdditionSchema,
  type LabelRemoved,
  type LabelReview,
  type LabelSource,
  type LabelsAdded,
} from '../wire/labels.js';
import { LIMITS } from '../wire/limits.js';
import { type OpenCalls, refuseUnlessFit, refuseUnlessWhole } from './open-calls.js';

export interface LabelListQuery {
  /** Only those that came from there. */
  readonly source?: LabelSource;
  /** Only those that were said within so many hours, 1 to 8,760. */
  readonly hours?: number;
}

/** What people, and callers, have said is right. */
export interface LabelCalls {
  /**
   * The labels, oldest first, read as they are taken.
   * @throws ReachError INVALID_REQUEST, CLOSED at once; STORE_UNAVAILABLE, CLOSED while they are taken
   */
  labels(query?: LabelListQuery): AsyncIterable<Label>;
  /**
   * Keeps labels that somebody wrote, all of them or none.
   * @throws ReachError INVALID_REQUEST, CAPABILITY_UNKNOWN, LABELS_FULL, STORE_UNAVAILABLE, NOT_READY, CLOSED
   */
  addLabels(addition: LabelAddition): Promise<LabelsAdded>;
  /** @throws ReachError LABEL_UNKNOWN, STORE_UNAVAILABLE, CLOSED */
  removeLabel(labelId: string): Promise<LabelRemoved>;
  /** What a person should look at. @throws ReachError STORE_UNAVAILABLE, NOT_READY, CLOSED */
  reviewLabels(): Promise<LabelReview>;
}

interface LabelParts {
  readonly labels: Labels;
  readonly registry: Registry;
  readonly clock: Clock;
}

const checkAddition = camelCheckOf(LabelAdditionSchema);

/** The capabilities that are meant. @throws ReachError CAPABILITY_UNKNOWN at `pointer` */
function keysOf(name: string, names: CapabilityNames, pointer: string): readonly string[] {
  const keys = names.keysOf(name);
  if (keys.length > 0) return keys;
  const detail = `There is no capability ${quoted(name)}.${didYouMean(name, names.ids())}`;
  const errors = [{ pointer, expected: 'a capability of the catalogue', received: quoted(name) }];
  throw new ReachError('CAPABILITY_UNKNOWN', detail, { errors });
}

/**
 * As keysOf, of all names at `pointer`: a bare id may be that of a thousand.
 * @throws ReachError INVALID_REQUEST where they mean more than a label may name
 */
function meantBy(expected: readonly string[], names: CapabilityNames, pointer: string): string[] {
  const meant = new Set<string>();
  for (const [place, name] of expected.entries()) {
    for (const key of keysOf(name, names, `${pointer}/${place}`)) meant.add(key);
    if (meant.size > LIMITS.labelExpected) throw tooMany(pointer);
  }
  return [...meant];
}

function tooMany(pointer: string): ReachError {
  const errors = [
    {
      pointer,
      expected: `names of at most ${LIMITS.labelExpected} capabilities`,
      received: 'bare ids that more agents have',
    },
  ];
  return new ReachError('INVALID_REQUEST', sentenceOf(errors), { errors });
}

/** @throws ReachError INVALID_REQUEST, CAPABILITY_UNKNOWN */
function saidIn(
  { source = 'added', labels }: LabelAddition,
  names: CapabilityNames,
  atMs: number,
): SaidLabel[] {
  return labels.map(({ intent, lang = langOf(intent), payloadFields = null, expected }, index) => {
    const keys = meantBy(expected, names, `/labels/${index}/expected`);
    const about = { intent: readIntent(intent, `/labels/${index}/intent`), lang, payloadFields };
    return { source, atMs, routeId: null, ...about, expected: keys };
  });
}

export function labelCalls({ labels, registry, clock }: LabelParts, calls: OpenCalls): LabelCalls {
  const { book } = labels;
  const names = () =>
    new CapabilityNames([...registry.snapshot.agents.values()].map(({ manifest }) => manifest));
  const reviewing = new SingleFlight<LabelReview>();

  async function* shown(stored: AsyncIterable<StoredLabel>) {
    for await (const label of stored) yield labelAt(label);
  }

  return {
    labels({ source, hours } = {}) {
      calls.refuseIfClosing();
      if (hours !== undefined) refuseUnlessWhole('/hours', hours, LIMITS.trendHours);
      const fromMs = hours === undefined ? 0 : clock.now() - hours * PERIODS.hour;
      return shown(book.all({ source, fromMs }));
    },

    async addLabels(addition) {
      calls.refuseUnlessOpen();
      refuseUnlessFit(checkAddition, addition);
      return calls.track(book.add(saidIn(addition, names(), clock.now())));
    },

    async removeLabel(labelId) {
      calls.refuseIfClosing();
      await calls.track(book.remove(labelId));
      return { labelId };
    },

    async reviewLabels() {
      calls.refuseUnlessOpen();
      return reviewing.run(() =>
        calls.track(reviewOf(() => book.all(), names(), clock, calls.endOf(undefined))),
      );
    },
  };
}
