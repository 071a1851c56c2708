/** A result that some may wait for before it is there: a promise that is made when it is first asked for. */
export class Settled<Result> {
  #promise: Promise<Result> | undefined;
  #resolve: ((result: Result) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  get promise(): Promise<Result> {
    this.#promise ??= new Promise<Result>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    return this.#promise;
  }

  resolve(result: Result): void {
    this.#resolve?.(result);
  }

  /** Those who wait now are told; whoever asks later waits anew. */
  reject(error: Error): void {
    this.#reject?.(error);
    this.#promise = undefined;
  }
}
