/** Does the work for every item, in order, at most `callers` at the same time. */
export async function atOnce<Item>(
  callers: number,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  const caller = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}
