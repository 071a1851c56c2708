import { type ShadowComparison, shadowComparisonCodec } from '../wire/shadow.js';
import {
  type ApplyOptions,
  applyOptionsCodec,
  type Rollback,
  rollbackCodec,
  type Tuning,
  tuningCodec,
} from '../wire/tuning.js';
import { call, sending } from './remote-call.js';

/** Which weights decide on a server. Weights are sent as they were read: the server checks them. */
export interface RemoteTuning {
  tuning(): Promise<Tuning>;
  applyWeights(weights: unknown, options: ApplyOptions): Promise<Tuning>;
  rollBackWeights(options: Rollback): Promise<Tuning>;
  /** Null: none answer beside those in force any more. */
  shadowWeights(weights: unknown): Promise<Tuning>;
  /** `hours` as it was given: the server checks it. */
  compareShadow(hours: string): Promise<ShadowComparison>;
}

/** `api`: where the call of these steps lies. */
export function remoteTuning(api: (...steps: string[]) => URL): RemoteTuning {
  return {
    tuning: () => call(api('tuning'), tuningCodec),
    applyWeights(weights, options) {
      const body = { weights, ...applyOptionsCodec.encode(options) };
      return call(api('tuning'), tuningCodec, sending('POST', body));
    },
    rollBackWeights: (options) =>
      call(api('tuning', 'rollback'), tuningCodec, sending('POST', rollbackCodec.encode(options))),
    shadowWeights: (weights) =>
      call(
        api('tuning', 'shadow'),
        tuningCodec,
        weights === null ? { method: 'DELETE' } : sending('PUT', { weights }),
      ),
    compareShadow(hours) {
      const url = api('tuning', 'compare');
      url.searchParams.set('hours', hours);
      return call(url, shadowComparisonCodec);
    },
  };
}
