import { expect, test } from 'vitest';
import { parsedUrl } from '../src/parsed-url.js';

test('a host with letters of other scripts is read alike however often that was asked', () => {
  expect(parsedUrl('no address')).toBeUndefined();
  for (let asked = 0; asked < 50_000; asked += 1) {
    if (parsedUrl('https://bücher.example')?.hostname === 'xn--bcher-kva.example') continue;
    expect.fail(`it was not read after ${asked} times`);
  }
});
