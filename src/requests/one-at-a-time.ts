/** Work of which there is one at a time for each id. */
export class OneAtATime {
  readonly #underWay = new Map<string, Promise<unknown>>();

  has(id: string): boolean {
    return this.#underWay.has(id);
  }

  async run<Result>(id: string, work: Promise<Result>): Promise<Result> {
    this.#underWay.set(id, work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(id);
    }
  }

  /** Resolves when the one of this id has settled; by then there may be another one. */
  async settled(id: string): Promise<void> {
    await this.#underWay.get(id)?.catch(() => {});
  }
}
