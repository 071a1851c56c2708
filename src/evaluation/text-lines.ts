import { createReadStream } from 'node:fs';

/** A line of a file, without its end. */
export type TextLine =
  | { readonly kind: 'text'; readonly line: number; readonly text: string }
  /** `fault`: what it is in place of text of at most so many bytes. */
  | { readonly kind: 'fault'; readonly line: number; readonly fault: string };

const NEWLINE = 0x0a;

class LineBytes {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Of a line that is too long nothing more is kept. */
  add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) this.#parts.push(part);
  }

  take(line: number): TextLine {
    const parts = this.#parts;
    const bytes = this.#bytes;
    this.#parts = [];
    this.#bytes = 0;
    if (bytes > this.#maxBytes) return { kind: 'fault', line, fault: `longer than ${this.#maxBytes} bytes` };
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
      return { kind: 'text', line, text };
    } catch {
      return { kind: 'fault', line, fault: 'not UTF-8' };
    }
  }
}

/**
 * The lines of a file of any size, of which no more than one is in memory. A byte order mark is no part of the text.
 * @throws the file system's error
 */
export async function* textLines(file: string, maxBytes: number): AsyncGenerator<TextLine> {
  const held = new LineBytes(maxBytes);
  let line = 1;
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      held.add(chunk.subarray(start, end));
      yield held.take(line);
      line += 1;
      start = end + 1;
    }
    held.add(chunk.subarray(start));
  }
  if (!held.isEmpty) yield held.take(line);
}
