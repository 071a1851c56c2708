import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../src/app.js';

test('the signal ends a start and nothing after it: what the door lets in is answered until the service is closed', async () => {
  const stopping = new AbortController();
  const service = await serve(
    { data: null, manifests: null, port: 0, logLevel: 'silent' },
    { signal: stopping.signal },
  );
  onTestFinished(() => service.close());
  stopping.abort();
  const answer = await fetch(`${service.address}/api/v1/route`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ intent: 'anything' }),
  });
  expect(answer.status).toBe(200);
});
