import { describe, expect, it } from 'vitest';
import { churnRun } from '../../benchmarks/support/churn-run.js';
import { versionedManifests } from '../../benchmarks/support/versioned-manifests.js';
import { withDefaults } from '../../src/manifest/with-defaults.js';

describe('the churn benchmark, in short', () => {
  it('replaces every capability while routes are answered, and finds all of them afterwards', async () => {
    const run = await churnRun({ capabilities: 1_500, versions: 2 });
    expect(run.status()).toEqual({ building: false, exactVectors: 0, segmentVectors: [1_500] });
    const busy = await run.routesWhile(run.replaceAll(1, Number.POSITIVE_INFINITY));
    expect(busy.length).toBeGreaterThan(10);
    await run.settled();
    const { exactVectors, segmentVectors } = run.status();
    expect(segmentVectors).toHaveLength(1);
    expect(exactVectors).toBeLessThanOrEqual(150);
    expect(run.recallAt5()).toBeGreaterThanOrEqual(0.99);
    await expect(run.replaceAll(1, 1_000)).rejects.toThrow('no further version');
    await run.close();
  });
});

describe('a catalogue in versions', () => {
  const { manifests, intents, vectors } = versionedManifests({ capabilities: 50, versions: 2, intents: 20 });

  it('has every capability in every version, with other texts', () => {
    expect(manifests.map(({ agent_name, manifest_version }) => [agent_name, manifest_version])).toEqual(
      [1, 2].flatMap((version) => [0, 1, 2, 3, 4].map((agent) => [`agent-${agent}`, version])),
    );
    expect(manifests[5]?.capabilities).toHaveLength(10);
    expect(manifests[5]?.capabilities[0]?.id).toBe(manifests[0]?.capabilities[0]?.id);
    expect(manifests[5]?.capabilities[0]?.description).not.toBe(manifests[0]?.capabilities[0]?.description);
  });

  it('knows the vector of every text', () => {
    const texts = manifests
      .flatMap((manifest) => withDefaults(manifest, 1).capabilities)
      .flatMap(({ name, description, examples }) => [name, description, ...examples]);
    for (const text of [...texts, ...intents]) expect(vectors.get(text)).toHaveLength(384);
  });
});
