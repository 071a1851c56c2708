import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EventBlock, readEventBlocks } from '../../src/wire/event-blocks.js';

async function* partsOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function blocksOf(text: string, sizes: readonly number[] = []): Promise<EventBlock[]> {
  const blocks: EventBlock[] = [];
  for await (const block of readEventBlocks(partsOf(Buffer.from(text), sizes))) blocks.push(block);
  return blocks;
}

const block = (more: Partial<EventBlock>): EventBlock => ({
  event: 'message',
  id: undefined,
  retryMs: undefined,
  data: undefined,
  ...more,
});

test.each<[string, string, Partial<EventBlock>[]]>([
  [
    'name, id and data',
    'id: 7\nevent: change\ndata: {"a": 1}\n\n',
    [{ event: 'change', id: '7', data: '{"a": 1}' }],
  ],
  ['data of several lines', 'data: a\ndata:b\ndata\n\n', [{ data: 'a\nb\n' }]],
  ['a block that only says where and when to go on', 'retry: 50\nid: x-0\n\n', [{ id: 'x-0', retryMs: 50 }]],
  ['comments and empty lines', ':\n\n\n: still here\n\ndata: a\n\n', [{}, {}, { data: 'a' }]],
  ['fields that nobody knows', 'colour: red\ndata: a\nretry: soon\n\n', [{ data: 'a' }]],
  ['a value with colons and spaces', 'data:  a: b \n\n', [{ data: ' a: b ' }]],
  [
    'the line ends of other systems',
    'data: a\r\n\r\ndata: b\r\rdata: c\n\n',
    [{ data: 'a' }, { data: 'b' }, { data: 'c' }],
  ],
  ['a byte order mark', '\ufeffdata: a\n\n', [{ data: 'a' }]],
  ['what its end cuts off', 'data: a\n\ndata: b\n', [{ data: 'a' }]],
])('reads %s', async (_, text, expected) => {
  expect(await blocksOf(text)).toEqual(expected.map(block));
});

test('reads the same in whatever parts it arrives', async () => {
  const text = '\ufeffid: 1\r\nevent: 变化\r\ndata: 周报 😀\r\n\r\ndata: x\n\nretry: 5\n\n';
  const whole = await blocksOf(text);
  expect(whole).toHaveLength(3);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(9), { maxLength: 60 }), async (sizes) => {
      expect(await blocksOf(text, sizes)).toEqual(whole);
    }),
  );
});

test('a line without an end is refused before it fills the memory', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    const part = Buffer.alloc(1_048_576, 'x');
    for (;;) yield part;
  }
  await expect(readEventBlocks(endless()).next()).rejects.toThrow(RangeError);
});

test('a line in a million parts takes no longer than its length asks for', async () => {
  const part = Buffer.from('x');
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('data: ');
    for (let i = 0; i < 1_000_000; i += 1) yield part;
    yield Buffer.from('\n\n');
  }
  const { value } = await readEventBlocks(parts()).next();
  expect(value?.data).toHaveLength(1_000_000);
}, 20_000);
