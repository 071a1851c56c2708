import { createHook } from 'node:async_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { sendJson } from '../../../benchmarks/support/send-json.js';
import { serve } from '../../../src/app.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';
import { answers, HttpInstance } from './http-instance.js';
import { ServiceUser } from './service-user.js';

/** What a program holds: timers, also those that would not keep it alive, sockets, servers, threads, processes. */
const HELD = new Set([
  'Timeout',
  'TCPWRAP',
  'TCPSERVERWRAP',
  'PIPEWRAP',
  'WORKER',
  'PROCESSWRAP',
  'FSEVENTWRAP',
]);
/** A handle is told of as gone a while after it is closed. */
const PATIENCE_MS = 1_500;
const POLL_MS = 50;

/** What is taken hold of from now on, and not let go; a timer that sets itself again stays. */
function followHeld() {
  const held = new Map<number, string>();
  const hook = createHook({
    init: (id, type) => void (HELD.has(type) && held.set(id, type)),
    destroy: (id) => void held.delete(id),
  }).enable();
  return { held, end: () => void hook.disable() };
}

test('no timer or socket is left over: a service that probed, was followed, called and given instances holds nothing once it is closed', async () => {
  const data = await temporaryFolder();
  const cleanups: (() => void | Promise<void>)[] = [];
  const { held, end } = followHeld();
  onTestFinished(end);
  const service = await serve({ data, manifests: null, port: 0, logLevel: 'silent', englishModel: false });
  const user = new ServiceUser(service.address);
  await user.publish('guests');
  const opened = Array.from({ length: 8 }, () => HttpInstance.open((clean) => void cleanups.push(clean)));
  const instances = await Promise.all(opened);
  await Promise.all(instances.map((instance, index) => instance.join(user, 'guests', `i${index}`)));
  await until(() => instances.every(({ probes }) => probes > 0));
  const watching = user.reach.watch()[Symbol.asyncIterator]();
  const seen = watching.next();
  await until(async () => {
    await sendJson('POST', `${user.url}/api/v1/dispatch`, { agent_name: 'guests' });
    return Promise.race([seen, sleep(POLL_MS, false)]);
  });
  await watching.return?.(undefined);
  // Instances are gone in every way there is: cut, in error, draining, left.
  instances[0]?.cutProbes();
  if (instances[1] !== undefined) instances[1].health = answers(500);
  await user.heartbeat('guests', 'i2', { state: 'draining' });
  await user.leave('guests', 'i3');
  expect(held.size).toBeGreaterThan(10);

  await user.close();
  await service.close();
  for (const clean of cleanups) await clean();
  const patience = performance.now() + PATIENCE_MS;
  while (held.size > 0 && performance.now() < patience) await nextTurn();
  expect([...held.values()]).toEqual([]);
});
