import type { OverlapFinder } from '../overlaps/overlap-finder.js';
import type { PublishPreviews } from '../preview/publish-previews.js';
import type { Registry } from '../registry/registry.js';
import { LIMITS } from '../wire/limits.js';
import type { PublishPreview } from '../wire/preview.js';
import { DEFAULT_HOURS, type OpenCalls, refuseUnlessWhole } from './open-calls.js';
import type { RecordCalls } from './record-calls.js';

export interface PreviewOptions {
  /** How far back recorded intents are asked again, 1 to 168; by default 24. */
  readonly recordedHours?: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** What would happen. */
export interface PreviewCalls {
  /**
   * What `publish` would answer, and which recorded intents would go elsewhere, of the 500 newest different ones as many
   * as can be decided in 30 s. Nothing is stored, and nothing that serves changes.
   * @throws ReachError as publish; INVALID_REQUEST, OVERLOADED where two are under way
   */
  preview(document: unknown, options?: PreviewOptions): Promise<PublishPreview>;
}

interface PreviewParts {
  readonly registry: Registry;
  readonly overlaps: OverlapFinder;
  readonly previews: PublishPreviews;
  readonly exportRoutes: RecordCalls['exportRoutes'];
}

const NOTHING = { since: null, asked: 0, changed: [], leftOut: 0 };

export function previewCalls(
  { registry, overlaps, previews, exportRoutes }: PreviewParts,
  calls: OpenCalls,
): PreviewCalls {
  return {
    async preview(document, { recordedHours = DEFAULT_HOURS, signal } = {}) {
      calls.refuseUnlessOpen();
      refuseUnlessWhole('/recordedHours', recordedHours, LIMITS.exportHours);
      const plan = await registry.plan(document, 'api');
      const { agent } = plan;
      const { agentName, manifestVersion } = agent.manifest;
      const answer = {
        agentName,
        manifestVersion,
        catalogueVersion: registry.snapshot.version,
        dryRun: true,
      } as const;
      if (plan.kind === 'unchanged') {
        const found = await calls.track(overlaps.inPassing(agent));
        return { ...answer, breaking: [], overlaps: found, wouldChange: NOTHING };
      }
      const decisions = exportRoutes({ hours: recordedHours, newestFirst: true });
      const foreseen = await calls.track(previews.of(agent, decisions, calls.endOf(signal)));
      return { ...answer, breaking: [...plan.breaking], ...foreseen };
    },
  };
}
