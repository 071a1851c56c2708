import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createReach, serve } from '../../src/app.js';
import { httpServer } from '../support/local-servers.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { captured } from './captured.js';

const folder = await temporaryFolder(afterAll);
const catalogue = await temporaryFolder(afterAll);
const real = { createReach: (options: object) => createReach({ ...options, logLevel: 'silent' }) };

async function manifest(where: string, name: string, id: string, examples: readonly string[]) {
  const path = join(where, `${name}.json`);
  const capability = { id, name: id, description: 'Submits a leave request. 提交请假申请。', examples };
  await writeFile(path, JSON.stringify({ agent_name: name, capabilities: [capability] }));
  return path;
}

const LEAVE = ['我想请三天年假', '帮我请明天的假', 'I want a day off', 'request leave for friday'];
const HOLIDAY = ['我要休三天年假', '帮我申请明天请假', 'I need a day off', 'file leave for monday'];
await manifest(catalogue, 'leave', 'submit leave', LEAVE);
const checked = await manifest(folder, 'holidays', 'submit leave request', HOLIDAY);

const check = (...argv: readonly string[]) => captured(['manifest', 'check', ...argv], real);

test('overlaps are warnings that say what was measured, and the exit code is 0', async () => {
  const { code, out, err } = await check(checked, '--against', catalogue);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [valid, warning, measured, closest, own, other, sum] = out.split('\n');
  expect(valid).toBe('1 manifest is valid');
  expect(warning).toBe('warning: holidays/submit leave request overlaps with leave/submit leave');
  expect(measured).toMatch(/[0-4] of 4 examples of .* go to leave\/submit leave, and [0-4] of 4 come/);
  expect(closest).toMatch(/^ {2}closest examples: ".+" and ".+", cosine 0\.\d\d$/);
  expect(own).toMatch(/^ {2}only in holidays\/submit leave request: .*monday/);
  expect(other).toMatch(/^ {2}only in leave\/submit leave: .*friday/);
  expect(sum).toBe(`1 overlap with the agent of ${catalogue}`);
});

test('an agent is not compared with its own older manifest', async () => {
  const { code, out } = await check(join(catalogue, 'leave.json'), '--against', catalogue);
  expect(code).toBe(0);
  expect(out).toBe(`1 manifest is valid\nno overlaps with the 0 agents of ${catalogue}\n`);
});

test('files are held against each other too, and against a server, as JSON', async () => {
  const service = await serve({ port: 0, manifests: catalogue, data: null, logLevel: 'silent' });
  try {
    const { code, out } = await check(checked, '--against', service.address, '--json');
    expect(code).toBe(0);
    const { overlaps, ...rest } = JSON.parse(out);
    expect(rest).toEqual({ manifests: 1, faults: [], notes: [], left_out: [], would_change: null });
    expect(overlaps).toEqual([
      expect.objectContaining({
        capability: 'holidays/submit leave request',
        other: 'leave/submit leave',
        to_other: { examples: 4, taken: expect.any(Number) },
      }),
    ]);
  } finally {
    await service.close();
  }
});

test('what cannot be compared, or not fully, is said', async () => {
  const mixed = await temporaryFolder(afterAll);
  await writeFile(join(mixed, 'broken.yaml'), 'agent_name: [');
  const few = await manifest(folder, 'few', 'fly kites', ['let a kite fly']);
  const { code, err } = await check(few, '--against', mixed);
  expect(code).toBe(0);
  expect(err).toMatch(/broken\.yaml:1: .*\(left out\)\n/);
  expect(err).toMatch(/few\/fly kites has one example: left out, only its description/);
});

test('what is not there, or does not answer, is said before anything is measured', async () => {
  const gone = await check(checked, '--against', join(folder, 'gone'));
  expect(gone.code).toBe(2);
  expect(gone.err).toMatch(/gone is neither a folder that is there nor the URL of a server/);
  const silent = await check(checked, '--against', 'http://127.0.0.1:1');
  expect(silent.code).toBe(3);
  expect(silent.err).toMatch(/cannot be reached/);
});

test('an answer without an end is no server of ours', async () => {
  const part = Buffer.alloc(1_048_576, ' ');
  const { url } = await httpServer((_, response) => {
    const send = () => {
      while (response.write(part));
    };
    response.on('drain', send);
    send();
  });
  const { code, err } = await check(checked, '--against', url.href);
  expect(code).toBe(3);
  expect(err).toMatch(/is not an Agent-Reach server/);
});

test('nothing is compared where a checked file has faults', async () => {
  const broken = join(folder, 'broken.json');
  await writeFile(broken, '{"agent_name": "x", "capabilities": 3}');
  const { code, out } = await check(broken, '--against', catalogue, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ manifests: 0, overlaps: null, faults: [{ file: broken }] });
});
