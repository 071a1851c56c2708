import { expect, test } from 'vitest';
import { CapabilityNames } from '../../src/evaluation/capability-names.js';
import { groupedBy } from '../../src/evaluation/grouped-by.js';
import type { LabelledQuery } from '../../src/evaluation/labelled-query.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { splitLabels } from '../../src/learning/label-split.js';
import { usableLabels } from '../../src/learning/usable-labels.js';
import { parseManifest } from '../../src/manifest/parse-manifest.js';

const label = (intent: string, expected: readonly string[], lang = 'en'): LabelledQuery => ({
  line: 1,
  intent,
  payload: null,
  expected,
  lang,
});

/** A text of words that no other has. */
function fresh(random: () => number): string {
  return Array.from({ length: 5 }, () =>
    Math.floor(random() * 1e9)
      .toString(36)
      .replace(/\d/g, 'x'),
  ).join(' ');
}

/** Of each of twenty capabilities one to twenty labels, and as many that are out of scope. */
function labels(): LabelledQuery[] {
  const random = seededRandom(11);
  return Array.from({ length: 21 }, (_, capability) =>
    Array.from({ length: Math.max(1, capability) }, (__, place) =>
      label(fresh(random), capability === 20 ? [] : [`a/c${capability}`], place % 2 === 0 ? 'en' : 'zh'),
    ),
  ).flat();
}

test('every capability and what is out of scope has its share on both sides, and each language', () => {
  const { learned, judged } = splitLabels(labels(), 0.3);
  expect(judged.length / labels().length).toBeCloseTo(0.3, 1);
  const byCapability = groupedBy(labels(), ({ expected }) => expected[0]);
  for (const [capability, all] of byCapability) {
    if (all.length < 2) continue;
    const held = judged.filter(({ expected }) => expected[0] === capability).length;
    expect(held).toBeGreaterThanOrEqual(1);
    expect(held).toBeLessThan(all.length);
    if (all.length >= 10) expect(held / all.length).toBeCloseTo(0.3, 0);
  }
  for (const side of [learned, judged])
    expect(side.filter(({ lang }) => lang === 'zh').length / side.length).toBeCloseTo(0.45, 0);
});

test('each language is judged, though every capability has but one label of each', () => {
  const random = seededRandom(13);
  const pairs = Array.from({ length: 40 }, (_, i) =>
    ['en', 'zh'].map((lang) => label(fresh(random), [`a/c${i}`], lang)),
  );
  const { judged } = splitLabels(pairs.flat(), 0.3);
  const chinese = judged.filter(({ lang }) => lang === 'zh').length / judged.length;
  expect(Math.abs(chinese - 0.5)).toBeLessThan(0.15);
});

test('near-duplicates stay on one side, whatever they expect', () => {
  const random = seededRandom(12);
  const pairs = Array.from({ length: 60 }, (_, i) => {
    const text = `${fresh(random)} ${fresh(random)}`;
    return [label(text, [`a/c${i % 3}`]), label(`${text} please`, [`a/c${(i + 1) % 3}`])];
  });
  const { learned, judged } = splitLabels(pairs.flat(), 0.5);
  const isHeld = new Set(judged);
  expect(
    pairs.filter(([one, other]) => isHeld.has(one as LabelledQuery) !== isHeld.has(other as LabelledQuery)),
  ).toEqual([]);
  expect(learned.length).toBeGreaterThan(40);
});

test('the split is the same in every run, in whichever order the labels come', () => {
  const texts = (side: readonly LabelledQuery[]) => side.map(({ intent }) => intent).sort();
  const one = splitLabels(labels(), 0.3);
  const other = splitLabels(labels().reverse(), 0.3);
  expect(texts(other.judged)).toEqual(texts(one.judged));
  expect(texts(other.learned)).toEqual(texts(one.learned));
});

test('contradicting labels, those whose capabilities are gone, and repeated ones are left out and counted', async () => {
  const capabilities = ['a', 'b', 'c'].map((id) => ({ id, name: id }));
  const { manifest } = await parseManifest({ agent_name: 'x', manifest_version: 1, capabilities });
  const names = new CapabilityNames([manifest]);
  const queries = [
    label('Stop it', ['a']),
    label(' stop IT ', ['b']),
    label('go on', ['a', 'b']),
    label('Go on', ['b', 'c']),
    label('old things', ['gone']),
    label('other old things', ['gone', 'c']),
    label('nothing of this', []),
    label('nothing of this', []),
    { ...label('stop it', ['b']), payload: { when: 'now' } },
  ];
  expect(usableLabels(queries, names)).toEqual({
    labels: [
      { ...queries[2], expected: ['x/b'] },
      { ...queries[5], expected: ['x/c'] },
      queries[6],
      { ...queries[8], expected: ['x/b'] },
    ],
    contradicting: 2,
    gone: 1,
    repeated: 2,
  });
});
