/** A terminal, or what stands in for it: nothing is drawn where it is none. */
interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

const WIDTH = 24;
const TO_LINE_START = '\r\u001b[K';

/** One line at the bottom of a terminal that says how far a long piece of work is. */
export class ProgressBar {
  readonly #screen: Screen;
  #shown = '';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** `done` of `total`; drawn only where that changes the line. */
  show(label: string, done: number, total: number): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const full = Math.floor(share * WIDTH);
    const bar = '#'.repeat(full).padEnd(WIDTH, '.');
    this.#draw(`${label} [${bar}] ${Math.floor(share * 100)} %`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#shown !== '') this.#draw('');
  }

  #draw(line: string): void {
    if (!this.#screen.isTTY || line === this.#shown) return;
    this.#shown = line;
    this.#screen.write(TO_LINE_START + line);
  }
}
