import { once } from 'node:events';
import { cp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { runAgentReach } from '../support/service-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const MODEL = fileURLToPath(new URL('../../models/bge-small-en-v1.5/', import.meta.url));

const folder = await temporaryFolder(afterAll);

/** The last line of a failed start: progress may stand before it, nothing after. */
async function faultOf(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stderr } = await runAgentReach(args, env);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr.trim().split('\n').at(-1) ?? '';
}

const quiet = () => ['--data', join(folder, 'data'), '--manifests', folder];

test('a taken port is one sentence and exit code 1', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  expect(await faultOf(['serve', '--port', String(port), ...quiet()])).toMatch(
    new RegExp(`^agent-reach: .*port ${port}.*already in use`, 'i'),
  );
  holder.close();
});

test('a missing model file is one sentence and exit code 1', async () => {
  const model = join(folder, 'incomplete');
  await cp(MODEL, model, { recursive: true });
  await rm(join(model, 'onnx', 'model_quantized.onnx'));
  expect(await faultOf(['serve', '--port', '0', '--model', model, ...quiet()])).toMatch(
    /^agent-reach: The model file .*model_quantized\.onnx is missing\.$/,
  );
});

test('a model that is not there, or not the one it says, is refused', async () => {
  expect(await faultOf(['serve', '--port', '0', '--model', 'nonesuch', ...quiet()])).toContain(
    'no model "nonesuch"',
  );
  const model = join(folder, 'changed');
  await cp(MODEL, model, { recursive: true });
  await writeFile(join(model, 'config.json'), '{"model_type":"bert"}');
  expect(await faultOf(['serve', '--port', '0', ...quiet()], { REACH_MODEL: model })).toMatch(
    /config\.json is not the one that reach\.json lists/,
  );
});

test('weights of another model are refused', async () => {
  const model = join(folder, 'foreign-weights');
  await cp(MODEL, model, { recursive: true });
  const foreign = fileURLToPath(new URL('../../models/multilingual-e5-small/weights.json', import.meta.url));
  await cp(foreign, join(model, 'weights.json'));
  expect(await faultOf(['serve', '--port', '0', '--model', model, ...quiet()])).toMatch(
    /weights\.json belongs to the model/,
  );
});

test('a folder of manifests that is not there is one sentence', async () => {
  const missing = join(folder, 'nowhere');
  expect(
    await faultOf(['serve', '--port', '0', '--data', join(folder, 'data'), '--manifests', missing]),
  ).toContain(missing);
});

test('a data folder that cannot be made is one sentence', async () => {
  expect(
    await faultOf(['serve', '--port', '0', '--manifests', folder, '--data', '/proc/agent-reach']),
  ).toContain('/proc/agent-reach');
});

test('an option that makes no sense is one sentence', async () => {
  expect(await faultOf(['serve', ...quiet()], { REACH_PORT: 'eighty' })).toMatch(
    /port \(REACH_PORT\): expected a whole number/,
  );
});
