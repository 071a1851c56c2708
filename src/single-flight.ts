/** Work of which one is under way at a time: who asks for it meanwhile gets what that one comes to. */
export class SingleFlight<Result> {
  #underWay: Promise<Result> | undefined;

  /** Undefined where none is. */
  get underWay(): Promise<Result> | undefined {
    return this.#underWay;
  }

  /** `work` is begun only where none is under way. */
  run(work: () => Promise<Result>): Promise<Result> {
    this.#underWay ??= work().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }
}
