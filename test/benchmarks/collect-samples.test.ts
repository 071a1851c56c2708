import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { withCatalogue } from '../../benchmarks/support/collect-samples.js';
import { CROSS_LANGUAGE, LABELLED_SETS, type LabelledSet } from '../../benchmarks/support/labelled-sets.js';
import { createReach } from '../../src/app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const manifestOf = (agentName: string) => ({
  agent_name: agentName,
  manifest_version: 1,
  capabilities: [{ id: 'only', name: `What ${agentName} does` }],
});

it('a set is asked alone: what a stopped run left behind is gone, and nothing of the set stays', async () => {
  const manifest = join(await temporaryFolder(), 'manifest.json');
  await writeFile(manifest, JSON.stringify(manifestOf('of-the-set')));
  const reach = await createReach({ logLevel: 'silent' });
  onTestFinished(() => reach.close());
  await reach.publish(manifestOf('left-behind'));
  const agents = () => reach.agents().agents.map(({ agentName }) => agentName);
  const [known] = LABELLED_SETS;
  const during = await withCatalogue(reach, { ...known, manifest } as LabelledSet, async (names) => [
    ...agents(),
    ...names.ids(),
  ]);
  expect(during).toEqual(['of-the-set', 'only']);
  expect(agents()).toEqual([]);
});

it('sets say which of them are English, and which are asked in another language', () => {
  const named = (sets: readonly LabelledSet[]) => sets.map(({ name }) => name);
  const all = [...LABELLED_SETS, ...CROSS_LANGUAGE];
  expect(named(all.filter(({ isCrossLanguage }) => isCrossLanguage))).toEqual(named(CROSS_LANGUAGE));
  expect(named(all.filter(({ isEnglish }) => !isEnglish))).toEqual(
    named(all).filter((name) => /zh/.test(name)),
  );
});
