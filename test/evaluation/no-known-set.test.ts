import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { splitIdentifier } from '../../src/retrieval/fold.js';

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const DATA = root('benchmarks/data/');
/** A shorter text is in any source, and knows nothing of a set. */
const LEAST_WORDS = { label: 2, intent: 4 };

/** Words, and characters where a script has no spaces. */
function wordsOf(text: string): string[] {
  return splitIdentifier(text).match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? [];
}

const textOf = (words: readonly string[]) => ` ${words.join(' ').toLowerCase()} `;

const sets = readdirSync(DATA, { withFileTypes: true }).flatMap((it) => (it.isDirectory() ? [it.name] : []));
const labels = new Set<string>();
const intents = new Set<string>();
for (const set of sets) {
  const manifest = JSON.parse(readFileSync(join(DATA, set, 'manifest.json'), 'utf8'));
  for (const { id } of manifest.capabilities) labels.add(id);
  for (const line of readFileSync(join(DATA, set, 'queries.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')) {
    const { intent, expected } = JSON.parse(line);
    intents.add(intent);
    for (const label of expected) labels.add(label);
  }
}

const LABELS = [...labels].filter((label) => wordsOf(label).length >= LEAST_WORDS.label);
const INTENTS = [...intents].map(wordsOf).filter((words) => words.length >= LEAST_WORDS.intent);

/** What a source text knows of the sets: names, labels as they are written, and intents word by word. */
function knownIn(source: string): string[] {
  const names = sets.filter((set) => source.toLowerCase().includes(set));
  const written = new Set(source.match(/[\p{L}\p{N}_]+(?:[-.:/][\p{L}\p{N}_]+)*/gu));
  const parts = new Set([...written].flatMap((identifier) => identifier.split(/[-.:/]/)));
  const named = LABELS.filter((label) => written.has(label) || parts.has(label));
  const text = textOf(wordsOf(source));
  const asked = INTENTS.map(textOf).filter((intent) => text.includes(intent));
  return [...names, ...named, ...asked];
}

describe('no rule knows a set that routing is measured with', () => {
  it('finds what is planted', () => {
    const [intent = []] = INTENTS;
    const [label = ''] = LABELS;
    expect(knownIn(`if (intent === '${intent.join(' ')}') return '${label}'; // of ${sets[0]}`)).toEqual(
      expect.arrayContaining([sets[0], label, textOf(intent)]),
    );
    expect([sets.length, LABELS.length, INTENTS.length].every((count) => count >= 12)).toBe(true);
  });

  it('and finds nothing in the source', () => {
    // The sample agents are no rules: they are what a team would publish, orders and greetings among it.
    const files = execFileSync('git', ['ls-files', '-z', 'src', ':!src/demo'], {
      cwd: root(''),
      encoding: 'utf8',
    })
      .split('\0')
      .filter((path) => path !== '');
    expect(files.length).toBeGreaterThan(100);
    expect(knownIn(files.map((path) => readFileSync(root(path), 'utf8')).join('\n'))).toEqual([]);
  });

  it('nor do the shipped weights have a threshold of their own for a capability', () => {
    const models = readdirSync(root('models'), { withFileTypes: true }).filter((it) => it.isDirectory());
    for (const { name } of models) {
      const { thresholds } = JSON.parse(readFileSync(root(`models/${name}/weights.json`), 'utf8'));
      expect(thresholds.by_capability).toEqual({});
    }
    expect(models.length).toBeGreaterThan(0);
  });
});
