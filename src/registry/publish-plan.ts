import { asReachError, ReachError } from '../errors.js';
import { breakingChanges } from '../manifest/breaking-changes.js';
import { parseManifest } from '../manifest/parse-manifest.js';
import type { BreakingChange } from '../wire/agents.js';
import { refuseBreaking } from './breaking-publish.js';
import type { Agent, ManifestSource, NewestManifest, StoredManifest } from './catalogue.js';
import { nextVersion, repeats } from './next-version.js';

/** What is to be done for a document, worked out before anything is prepared or stored. */
export type PublishPlan =
  | { readonly kind: 'unchanged'; readonly agent: Agent }
  | {
      readonly kind: 'change';
      readonly agent: Agent;
      readonly expectedVersion: number | null;
      /** Against the version that serves until now. */
      readonly breaking: readonly BreakingChange[];
    }
  | { readonly kind: 'refused'; readonly error: ReachError };

export type AcceptedPlan = Exclude<PublishPlan, { readonly kind: 'refused' }>;

/** Who may change what. */
export interface PublishRules {
  /** Whether a manifest that breaks callers of the version before is refused. */
  readonly strictCompat: boolean;
  /** Whether a folder is watched. Where none is, nothing but the API could ever change what one has left. */
  readonly folderWatched: boolean;
}

/** What a plan is made against. */
export interface KnownAgents {
  readonly rules: PublishRules;
  readonly agents: ReadonlyMap<string, Agent>;
  /** Asked only for an agent that is not in `agents`. */
  newest(agentName: string): Promise<NewestManifest | undefined>;
}

/** Checks a document and works out its version. Never throws: what is wrong is the plan. */
export async function planPublish(
  document: unknown,
  source: ManifestSource,
  known: KnownAgents,
): Promise<PublishPlan> {
  try {
    const current = known.agents.get(claimedName(document));
    if (current?.source === source && repeats(storedForm(current), document)) {
      return { kind: 'unchanged', agent: current };
    }
    return await planFor(await parseManifest(document), source, known);
  } catch (thrown) {
    return { kind: 'refused', error: asReachError(thrown) };
  }
}

async function planFor(
  { manifest, document, validators }: Omit<Agent, 'source'>,
  source: ManifestSource,
  known: KnownAgents,
): Promise<PublishPlan> {
  const before = known.agents.get(manifest.agentName);
  const newest =
    before === undefined
      ? await known.newest(manifest.agentName)
      : { manifest: storedForm(before), removed: false };
  const current = newest?.removed ? undefined : newest?.manifest;
  if (current !== undefined) refuseForeign(current, source, known.rules);
  const manifestVersion = nextVersion(document, newest?.manifest, source);
  if (before?.source === source && before.manifest.manifestVersion === manifestVersion) {
    return { kind: 'unchanged', agent: before };
  }
  const agent = Object.freeze({ manifest: { ...manifest, manifestVersion }, document, source, validators });
  const breaking = before === undefined ? [] : await breakingChanges(before.manifest, manifest);
  if (before !== undefined && known.rules.strictCompat)
    refuseBreaking(before.manifest, agent.manifest, breaking);
  return { kind: 'change', agent, expectedVersion: current?.manifestVersion ?? null, breaking };
}

/** The name that an unchecked document claims; '' where it claims none, which the check then refuses. */
export function claimedName(document: unknown): string {
  if (typeof document !== 'object' || document === null || !('agent_name' in document)) return '';
  return typeof document.agent_name === 'string' ? document.agent_name : '';
}

export function storedForm({ manifest, document, source }: Agent): StoredManifest {
  const { agentName, manifestVersion } = manifest;
  return { agentName, manifestVersion, source, document };
}

/** @throws ReachError MANIFEST_MANAGED_BY_FOLDER where a watched folder owns the agent and somebody else changes it. */
export function refuseForeign(
  { agentName, source: owner }: Pick<StoredManifest, 'agentName' | 'source'>,
  source: ManifestSource,
  { folderWatched }: PublishRules,
): void {
  if (!folderWatched || owner !== 'folder' || source === 'folder') return;
  const detail = `${agentName} comes from a file in the watched folder; change or delete that file.`;
  throw new ReachError('MANIFEST_MANAGED_BY_FOLDER', detail);
}
