import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { captured } from './captured.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A hub whose only model says nothing of how it is used. Adding it fails at the latest when it is tried. */
async function silentHub(): Promise<string> {
  const hub = createServer((request, response) => {
    const known = /\/(config|tokenizer|tokenizer_config)\.json$|\.onnx$/.test(request.url ?? '');
    response.statusCode = known ? 200 : 404;
    response.end(known ? '{"hidden_size": 8}' : '');
  }).listen(0, '127.0.0.1');
  closers.push(() => hub.close());
  await once(hub, 'listening');
  return `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
}

test('a script is told which flag answers what the hub does not say', async () => {
  const argv = ['model', 'add', 'someone/silent-model', '--hub', await silentHub()];
  const first = await captured(argv);
  expect(first.code).toBe(1);
  expect(first.err).toContain('downloading config.json\n');
  expect(first.err).toContain('Answer it with --pooling.\n');
  const second = await captured([...argv, '--pooling', 'cls']);
  expect(second.err).toContain('Answer it with --prefix-query.\n');
});

test('a person is asked', async () => {
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return 'sum';
  };
  const argv = ['model', 'add', 'someone/silent-model', '--hub', await silentHub()];
  const { code, err } = await captured(argv, { isTTY: true, ask });
  expect(questions).toEqual([expect.stringMatching(/\(mean or cls\)\n> $/)]);
  expect(code).toBe(1);
  expect(err).toContain('Pooling must be mean or cls, not "sum".');
});

test('what is no hub id, or no kind of pooling, is refused before anything is fetched', async () => {
  expect((await captured(['model', 'add', 'nothing'])).code).toBe(1);
  expect((await captured(['model', 'add', 'a/b', '--pooling', 'max'])).code).toBe(2);
});
