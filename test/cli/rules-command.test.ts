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

const valid = 'rules:\n  - id: letters\n    target: mail\n  - id: parcels\n    target: parcels/send\n';

test('valid rules end with 0', async () => {
  const path = await file('routes.yaml', valid);
  expect(await captured(['rules', 'check', path])).toEqual({ code: 0, out: '2 rules are valid\n', err: '' });
});

test('each fault is file, line, pointer and message, and the exit code 1', async () => {
  const path = await file(
    'broken.yaml',
    `${valid}    when: {intent: "/(a+)+$/"}\n  - id: letters\n    target: x\n`,
  );
  const { code, out } = await captured(['rules', 'check', path]);
  expect(code).toBe(1);
  expect(out).toMatch(
    /^\S+broken\.yaml:7: \/rules\/2\/id: expected an id that is there once, .*\n\S+broken\.yaml:6: \/rules\/1\/when\/intent: .*\n$/,
  );
  expect((await captured(['rules', 'check', join(folder, 'gone.yaml')])).out).toMatch(
    /gone\.yaml:1: there is no such file/,
  );
});

test('with manifests, names that none of them has are told, and the exit code stays 0', async () => {
  const path = await file('routes.yaml', valid);
  const manifests = await temporaryFolder();
  await writeFile(join(manifests, 'mail.yaml'), 'agent_name: mail\ncapabilities: [{id: send, name: Send}]\n');
  await writeFile(join(manifests, 'odd.yaml'), 'agent_name: 3\n');
  const { code, out, err } = await captured(['rules', 'check', path, '--manifests', manifests]);
  expect([code, out]).toEqual([0, '2 rules are valid\n']);
  expect(err).toContain(`${join(manifests, 'odd.yaml')}:1: /agent_name`);
  expect(err).toContain(
    'Rule parcels: target parcels/send is not in the catalogue. The rule is passed over.',
  );
  expect(err).not.toContain('Rule letters');
});
