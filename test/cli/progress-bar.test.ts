import { expect, it } from 'vitest';
import { ProgressBar } from '../../src/cli/progress-bar.js';

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, write: (text: string) => written.push(text) };
}

it('draws one line over and over, and takes it away', () => {
  const terminal = screen(true);
  const bar = new ProgressBar(terminal);
  bar.show('Routing', 0, 1_000);
  bar.show('Routing', 1, 1_000);
  bar.show('Routing', 500, 1_000);
  bar.clear();
  bar.clear();
  expect(terminal.written).toEqual([
    '\r\u001b[KRouting [........................] 0 %',
    '\r\u001b[KRouting [############............] 50 %',
    '\r\u001b[K',
  ]);
});

it('draws nothing where nobody looks', () => {
  const file = screen(false);
  const bar = new ProgressBar(file);
  bar.show('Routing', 1, 2);
  bar.clear();
  expect(file.written).toEqual([]);
});
