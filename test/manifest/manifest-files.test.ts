import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { checkManifests, formatFault } from '../../src/manifest/check-manifests.js';
import { readDocumentText } from '../../src/manifest/read-document.js';
import { MANIFEST_LIMITS } from '../../src/manifest/schema.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { manifestWith } from './manifests.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const readBytes = (name: string, bytes: Uint8Array) => readDocumentText(name, bytes, MANIFEST_LIMITS.bytes);
const read = (name: string, text: string) => readBytes(name, bytesOf(text));

function documentOf(name: string, text: string): unknown {
  const result = read(name, text);
  if (result.kind === 'unreadable') throw new Error(`line ${result.line}: ${result.message}`);
  return result.document;
}

function lineOf(name: string, text: string, pointer: string): number {
  const result = read(name, text);
  if (result.kind === 'unreadable') throw new Error(result.message);
  return result.lineOf(pointer);
}

describe('a manifest file', () => {
  it('is read as JSON or YAML, with or without a byte order mark', () => {
    expect(documentOf('a.json', '\ufeff{"agent_name": "a"}')).toEqual({ agent_name: 'a' });
    expect(documentOf('a.JSON', ' [1, -2.5e3, true, null, "\\u00e9"] ')).toEqual([1, -2500, true, null, 'é']);
    for (const name of ['a.yaml', 'a.yml']) {
      expect(documentOf(name, '\ufeffagent_name: a\nlist: [1, x]\n')).toEqual({
        agent_name: 'a',
        list: [1, 'x'],
      });
    }
    expect(documentOf('a.yaml', 'base: &b {x: 1}\nmore: {<<: *b, y: 2}\n')).toEqual({
      base: { x: 1 },
      more: { x: 1, y: 2 },
    });
  });

  it.each([
    ['a.json', '{\n "a": 1,\n "a": 2\n}', 3, 'twice'],
    ['a.json', '{\n "a": {"b": 1, "\\u0062": 2}\n}', 2, 'twice'],
    ['a.json', '{\n "a": 1,\n}', 3, 'a field name in double quotes'],
    ['a.json', '{\n "a" 1}', 2, "expected ':'"],
    ['a.json', '{"a": 1} \n{"b": 2}', 2, 'nothing more'],
    ['a.json', '[1\n 2]', 2, "expected ',' or ']'"],
    ['a.json', '{"a": "\n"}', 1, 'control character'],
    ['a.json', '{"a":\n', 2, 'the end'],
    ['a.json', '', 1, 'the end'],
    ['a.json', 'agent_name: a', 1, 'a JSON value'],
    ['a.yaml', 'a: 1\nb: 2\na: 3\n', 3, 'unique'],
    ['a.yaml', 'a: 1\n---\nb: 2\n', 2, 'multiple documents'],
    ['a.yaml', 'a: [1\nb: 2\n', 2, 'not YAML'],
    ['a.yaml', 'a: 1\nb: !mine x\n', 2, 'tag'],
    ['a.yaml', `a: ${'['.repeat(20_000)}`, 1, 'not YAML'],
    ['a.yaml', '', 1, 'empty'],
    ['a.toml', 'a = 1', 1, '.json, .yaml or .yml'],
  ])('%s with %j is refused at line %i', (name, text, line, message) => {
    const result = read(name, text);
    expect(result).toMatchObject({ kind: 'unreadable', line });
    expect(result).toHaveProperty('message', expect.stringContaining(message));
  });

  it('is refused where it is not UTF-8, too large or an alias bomb', () => {
    const invalid = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d);
    expect(readBytes('a.json', invalid)).toMatchObject({ kind: 'unreadable', message: 'not UTF-8' });
    const large = new Uint8Array(MANIFEST_LIMITS.bytes + 1).fill(0x20);
    expect(readBytes('a.json', large)).toMatchObject({ kind: 'unreadable' });
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [index, name] of [...'bcdefghi'].entries()) {
      const before = 'abcdefghi'[index];
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join()}]`);
    }
    expect(read('a.yaml', bomb.join('\n'))).toMatchObject({ kind: 'unreadable' });
  });

  it('may be nested 20,000 deep without harm', () => {
    expect(read('a.json', '['.repeat(20_000) + ']'.repeat(20_000)).kind).toBe('document');
  });

  it('knows the lines of its parts, the nearest one for what is not there', () => {
    const json = '\n{\n "a": {\n  "x/y": [1,\n   {"b": 2}]\n },\n "c": 3\n}';
    const yaml = '\na:\n  x/y:\n    - 1\n    - b: 2\nc: &c\n  d: 1\ne: *c\n';
    expect(
      ['', '/a', '/a/x~1y', '/a/x~1y/1/b', '/a/none', '/c'].map((p) => lineOf('a.json', json, p)),
    ).toEqual([2, 3, 4, 5, 3, 7]);
    expect(
      ['/a', '/a/x~1y', '/a/x~1y/1/b', '/a/none', '/c', '/e/d'].map((p) => lineOf('a.yml', yaml, p)),
    ).toEqual([2, 3, 5, 2, 6, 7]);
  });

  it('is read as JSON.parse reads it, whatever JSON it is, and refused where that refuses', () => {
    const text = fc.oneof(
      fc.json(),
      fc.json().chain((json) => fc.nat(json.length).map((at) => json.slice(0, at) + json.slice(at + 1))),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (json) => {
        const result = read('a.json', json);
        let expected: unknown;
        try {
          expected = JSON.parse(json.replace(/^\ufeff/, ''));
        } catch {
          expect(result.kind).toBe('unreadable');
          return;
        }
        if (result.kind === 'document') expect(result.document).toEqual(expected);
        else expect(result.message).toMatch(/twice|escape/);
      }),
      { numRuns: 2_000 },
    );
  });
});

const folder = await temporaryFolder(afterAll);

describe('checkManifests', () => {
  async function fileOf(name: string, content: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  it('finds nothing in a good file', async () => {
    const good = await fileOf('good.json', JSON.stringify(manifestWith()));
    const { manifests, faults } = await checkManifests([good]);
    expect(faults).toEqual([]);
    expect(manifests.map(({ file }) => file)).toEqual([good]);
  });

  it('prints file, line, pointer and message of every fault', async () => {
    const yaml = await fileOf(
      'bad.yaml',
      'agent_name: bad\ncapabilities:\n  - id: a\n    name: A\n    priority: 500\n    input_schema:\n      properties:\n        x: { type: strin }\n',
    );
    const first = await checkManifests([yaml]);
    expect(first.faults.map(formatFault)).toEqual([
      `${yaml}:5: /capabilities/0/priority: expected a number of at most 100, received the number 500`,
    ]);
    const json = await fileOf('bad.json', '{\n "agent_name": }');
    const others = await checkManifests([json, join(folder, 'none.json')]);
    expect(others.faults.map(formatFault)).toEqual([
      `${json}:2: not JSON: expected a JSON value, received "}"`,
      expect.stringMatching(/none\.json:1: there is no such file/),
    ]);
  });

  it('finds the same agent in two files', async () => {
    const one = await fileOf('one.json', JSON.stringify(manifestWith({ agent_name: 'twin' })));
    const two = await fileOf('two.yaml', 'capabilities: [{id: a, name: A}]\nagent_name: twin\n');
    const { manifests, faults } = await checkManifests([one, two]);
    expect(manifests.map(({ file }) => file)).toEqual([one]);
    expect(faults.map(formatFault)).toEqual([
      `${two}:2: /agent_name: the agent twin has a manifest already, in ${one}`,
    ]);
  });
});
