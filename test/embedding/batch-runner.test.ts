import { expect, test } from 'vitest';
import { BatchRunner } from '../../src/embedding/batch-runner.js';
import type { FromModelProcess, TextMessage } from '../../src/embedding/model-messages.js';
import type { TextWindow } from '../../src/embedding/text-windows.js';

/** Stands in for the model: a window a word, a vector that tells the word's length; `bad` words are refused. */
function wordModel() {
  const batches: number[][] = [];
  return {
    batches,
    windows(text: string): [TextWindow, ...TextWindow[]] {
      if (text === 'untokenizable') throw new Error('no tokens');
      const [first = '', ...others] = text.split(' ');
      const window = (word: string) => ({
        ids: Array.from(word, (c) => c.charCodeAt(0)),
        weight: word.length,
      });
      return [window(first), ...others.map(window)];
    },
    async run(windows: readonly TextWindow[]): Promise<Float32Array[]> {
      batches.push(windows.map(({ ids }) => ids.length));
      if (windows.some(({ ids }) => String.fromCharCode(...ids) === 'bad')) throw new Error('bad word');
      return windows.map(({ ids }) => new Float32Array([ids.length, 1]));
    },
  };
}

const message = (id: number, text: string, bulk = false): TextMessage => ({ id, text, kind: 'query', bulk });

function runner(together: boolean) {
  const model = wordModel();
  const answers: FromModelProcess[] = [];
  const ids = () => answers.flatMap((answer) => ('ids' in answer ? answer.ids : []));
  return { model, answers, ids, runner: new BatchRunner(model, together, (answer) => answers.push(answer)) };
}

test('urgent before bulk, and a text with windows left goes behind the others', async () => {
  const { runner: batches, ids } = runner(false);
  batches.add([message(1, 'a', true), message(2, 'b c d'), message(3, 'e f'), message(4, 'g')]);
  await expect.poll(ids).toEqual([4, 3, 2, 1]);
});

test('a model whose batches change vectors gets one window at a time', async () => {
  const { runner: batches, model, ids } = runner(false);
  batches.add([message(1, 'aa'), message(2, 'bb'), message(3, 'cc')]);
  await expect.poll(ids).toHaveLength(3);
  expect(model.batches).toEqual([[2], [2], [2]]);
});

test('texts are run together up to a padded size', async () => {
  const { runner: batches, model, ids } = runner(true);
  batches.add(Array.from({ length: 6 }, (_, id) => message(id, 'x'.repeat(200))));
  await expect.poll(ids).toHaveLength(6);
  expect(model.batches).toEqual([
    [200, 200],
    [200, 200],
    [200, 200],
  ]);
});

test('a text that the model refuses fails with its reason, and the work goes on', async () => {
  const { runner: batches, answers, ids } = runner(false);
  batches.add([message(1, 'bad'), message(2, 'untokenizable'), message(3, 'good')]);
  await expect.poll(ids).toHaveLength(3);
  expect(answers).toContainEqual({ type: 'failed', ids: [1], detail: 'bad word' });
  expect(answers).toContainEqual({ type: 'failed', ids: [2], detail: 'no tokens' });
  expect(answers).toContainEqual({ type: 'vectors', ids: [3], vectors: new Float32Array([4, 1]) });
});
