import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openStores } from '../../src/storage/open-stores.js';
import { httpServer } from '../support/local-servers.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const COUNT = 100;
/** Every second one. */
const mayBeRepeated = (requestId: string) => Number(requestId.slice(2)) % 2 === 0;

test('kill -9 in the middle of asynchronous requests loses none, and repeats none in silence', {
  timeout: 120_000,
}, async () => {
  const executions = new Map<string, number>();
  let answered = 0;
  const agent = await httpServer(async (request, response) => {
    const requestId = request.url?.slice(1) ?? '';
    executions.set(requestId, (executions.get(requestId) ?? 0) + 1);
    await sleep(answered < 30 ? 1 : 300);
    answered += 1;
    response.setHeader('content-type', 'application/json').end('{"done":true}');
  });
  const folder = await temporaryFolder();
  const asker = (count: number) => {
    const args = [join(import.meta.dirname, 'asker.mjs'), folder, String(agent.url), String(count)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
    });
    return { child, lines: () => printed.trim().split('\n') };
  };

  const killed = asker(COUNT);
  await until(() => answered > 30 && killed.lines().length === COUNT);
  killed.child.kill('SIGKILL');
  await once(killed.child, 'close');
  const accepted = killed.lines();

  const restarted = asker(0);
  await once(restarted.child, 'close');
  expect(restarted.lines()).toEqual(['all have ended']);

  const stores = await openStores({ store: null, data: folder });
  const counts = { completed: 0, lost: 0 };
  for (const requestId of accepted) {
    const request = await stores.requests.find('t', requestId);
    const executed = executions.get(requestId) ?? 0;
    if (request?.answer?.error?.code === 'NODE_LOST') {
      counts.lost += 1;
      expect(request.state).toBe('failed');
      expect(mayBeRepeated(requestId)).toBe(false);
    } else {
      counts.completed += 1;
      expect(request).toMatchObject({ state: 'completed', answer: { result: { done: true } } });
      expect(executed).toBeGreaterThan(0);
    }
    if (!mayBeRepeated(requestId)) expect(executed).toBeLessThanOrEqual(1);
  }
  await stores.close();
  expect(counts.completed + counts.lost).toBe(COUNT);
  expect(counts.lost).toBeGreaterThan(0);
  expect(Math.max(...executions.values())).toBeGreaterThan(1);
});
