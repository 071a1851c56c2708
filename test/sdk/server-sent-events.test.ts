import { describe, expect, test } from 'vitest';
import { type EventBlock, readBlocks } from '../../sdk/src/client/server-sent-events.js';

async function eventsOf(pieces: readonly Uint8Array[]): Promise<EventBlock[]> {
  async function* chunks() {
    yield* pieces;
  }
  const events: EventBlock[] = [];
  for await (const block of readBlocks(chunks())) if (block.data !== undefined) events.push(block);
  return events;
}

describe('events of a stream', () => {
  const TEXT = [
    ': a comment\r\n\r\n',
    'id: 1\revent: a\rdata: 一\rdata:  二\r\r',
    'event: lonely\n\n',
    'data\n\ndata: with: colon\nunknown: x\n\n',
    'id\ndata: without an id from here\n\n',
    'data: cut off',
  ].join('');
  const EXPECTED = [
    { event: 'a', data: '一\n 二', id: '1' },
    { event: 'message', data: '', id: '1' },
    { event: 'message', data: 'with: colon', id: '1' },
    { event: 'message', data: 'without an id from here', id: '' },
  ];

  test('are read as the standard says', async () => {
    expect(await eventsOf([Buffer.from(TEXT)])).toEqual(EXPECTED);
  });

  test('are the same however the bytes are cut', async () => {
    const bytes = Buffer.from(TEXT.replaceAll('\n', '\r\n').replaceAll('\r\r\n', '\r\n'));
    const whole = await eventsOf([bytes]);
    expect(whole.at(0)).toEqual(EXPECTED[0]);
    expect(await eventsOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test('may be as large as an answer with the largest result', async () => {
    const piece = Buffer.alloc(1_048_576, 'x');
    const [event] = await eventsOf([Buffer.from('data: '), ...Array(17).fill(piece), Buffer.from('\n\n')]);
    expect(event?.data).toHaveLength(17 * piece.length);
  });

  test('with a line that never ends are a fault', async () => {
    const piece = Buffer.alloc(1_048_576, 'x');
    await expect(eventsOf(Array.from({ length: 33 }, () => piece))).rejects.toThrow('a line without end');
  });
});
