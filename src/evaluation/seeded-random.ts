/** A number from 0 to 1 that is the same in every run (Park and Miller's minimal standard generator). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
