import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { HubRepository } from '../../src/embedding/hub-repository.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const SILENCE_MS = 400;

async function repositoryOf(listener: RequestListener): Promise<HubRepository> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return new HubRepository(`http://127.0.0.1:${port}`, 'owner/model', SILENCE_MS);
}

test.each<[string, RequestListener]>([
  ['before its answer', () => {}],
  ['in the middle of a file', (_, response) => response.writeHead(200).write('half')],
])('a hub that falls silent %s is given up', async (_, listener) => {
  const repository = await repositoryOf(listener);
  await expect(repository.download('config.json', await temporaryFolder())).rejects.toMatchObject({
    code: 'MODEL_INVALID',
    message: expect.stringMatching(/config\.json cannot be downloaded: nothing came for 0\.4 s/),
  });
});

test('a file may take as long as it needs while something comes', async () => {
  const repository = await repositoryOf((_, response) => {
    let left = 8;
    const timer = setInterval(() => {
      left -= 1;
      response.write('x');
      if (left > 0) return;
      clearInterval(timer);
      response.end();
    }, SILENCE_MS / 4);
  });
  expect(await repository.download('config.json', await temporaryFolder())).toBe(true);
});
