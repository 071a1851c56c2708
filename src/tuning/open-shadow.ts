import type { Lifecycle } from '../lifecycle.js';
import type { DecisionRecorder } from '../record/decision-recorder.js';
import { ShadowComparer, type ShadowComparerParts } from './shadow-comparer.js';
import { ShadowRouter, type ShadowRouterParts } from './shadow-router.js';

type Parts = Omit<ShadowRouterParts, 'keep'> & ShadowComparerParts;

interface ShadowContext extends Parts {
  readonly recorder: DecisionRecorder;
  readonly lifecycle: Lifecycle;
}

/** Puts together who answers in the shadow, which follows decisions, and who compares what came of it. */
export function openShadow(context: ShadowContext) {
  const { recorder, lifecycle } = context;
  const shadow = new ShadowRouter({
    ...context,
    keep: (routeId, verdict) => recorder.keepShadow(routeId, verdict),
  });
  lifecycle.add('shadow', () => shadow.close());
  return { shadow, shadowComparer: new ShadowComparer(context) };
}
