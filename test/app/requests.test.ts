import { expect, onTestFinished, test } from 'vitest';
import { createReach } from '../../src/app.js';
import { httpServer } from '../support/local-servers.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const INTENT = 'print the label of a parcel';

async function printer() {
  const seen: Record<string, unknown>[] = [];
  const { url } = await httpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    seen.push(JSON.parse(body));
    response.setHeader('content-type', 'application/json').end('{"result": "printed"}');
  });
  const manifest = {
    agent_name: 'printer',
    manifest_version: 1,
    capabilities: [{ id: 'print', name: 'Print a label', examples: [INTENT] }],
    instances: [{ instance_id: 'a', address: String(url).replace(/\/$/, '') }],
  };
  return { seen, manifest };
}

test('a request that is accepted is carried out after a restart, and asked after there', async () => {
  const data = await temporaryFolder();
  const { seen, manifest } = await printer();
  const open = async () => {
    const reach = await createReach({ data, logLevel: 'silent', probes: false });
    onTestFinished(() => reach.close());
    return reach;
  };
  const first = await open();
  await first.publish(manifest);
  const sync = await first.dispatch({ intent: INTENT, requestId: 'label-1' });
  expect(sync).toMatchObject({ requestId: 'label-1', state: 'completed', result: 'printed' });
  expect(await first.dispatch({ intent: INTENT, requestId: 'label-1' })).toEqual(sync);
  expect(seen).toMatchObject([{ request_id: 'label-1', reply_to: null }]);
  const accepted = await first.dispatchLater({ intent: INTENT, requestId: 'label-2' });
  expect(accepted).toMatchObject({ requestId: 'label-2', mode: 'async', callback: null });
  await first.close();

  const second = await open();
  expect(await second.dispatch({ intent: INTENT, requestId: 'label-1' })).toEqual(sync);
  await until(async () => (await second.request('label-2')).answer !== null);
  expect(await second.request('label-2')).toMatchObject({
    state: 'completed',
    answer: { result: 'printed' },
  });
  expect(seen.map(({ request_id: id }) => id)).toEqual(['label-1', 'label-2']);
  const { requests } = await second.requests({ state: 'completed' });
  expect(requests.map(({ requestId }) => requestId)).toEqual(['label-2', 'label-1']);
  await expect(second.requests({ limit: 0 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await expect(second.requests({ state: 'gone' as 'failed' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
  await expect(second.cancel('label-2')).rejects.toMatchObject({ code: 'REQUEST_ENDED' });
  const none = { P0: 0, P1: 0, P2: 0 };
  expect((await second.queues()).requests).toEqual({ waiting: none, running: none });
});
