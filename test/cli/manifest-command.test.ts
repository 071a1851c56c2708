import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { captured } from './captured.js';

const folder = await temporaryFolder(afterAll);

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const valid = (name: string) => `agent_name: ${name}\ncapabilities:\n  - id: x\n    name: X\n`;

test('valid manifests end with 0', async () => {
  const files = [await file('a.yaml', valid('a')), await file('b.yaml', valid('b'))];
  expect(await captured(['manifest', 'check', ...files])).toEqual({
    code: 0,
    out: '2 manifests are valid\n',
    err: '',
  });
});

test('each fault is file, line, pointer and message, and the exit code 1', async () => {
  const path = await file('broken.yaml', `${valid('a')}    priority: high\n`);
  const { code, out } = await captured(['manifest', 'check', path]);
  expect(code).toBe(1);
  expect(out).toBe(
    `${path}:5: /capabilities/0/priority: expected a whole number, received the string "high"\n`,
  );
});

test('a file that is not there is a fault, no files are a usage error', async () => {
  const gone = await captured(['manifest', 'check', join(folder, 'gone.yaml')]);
  expect(gone.code).toBe(1);
  expect(gone.out).toMatch(/gone\.yaml:1: /);
  expect((await captured(['manifest', 'check'])).code).toBe(2);
});

test('hostile text in a manifest does nothing to the terminal', async () => {
  const path = await file('hostile.json', '{"agent_name": "a\\u009b31m", "capabilities": []}');
  const { out } = await captured(['manifest', 'check', path]);
  expect(out).toContain('\\u009b31m');
  expect(out).not.toContain('\u009b');
});
