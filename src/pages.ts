import { setImmediate } from 'node:timers/promises';

/** About a millisecond of work on this thread. */
const PAGE = 100;

/**
 * Reads what a store keeps page by page, as it is taken, and holds nothing between two pages. `page` gives at most
 * `limit` items in their order: those behind `after`, where that is undefined the first ones.
 */
export async function* inPages<Item>(
  page: (after: Item | undefined, limit: number) => Promise<readonly Item[]>,
): AsyncGenerator<Item, void, void> {
  let items: readonly Item[];
  let last: Item | undefined;
  do {
    items = await page(last, PAGE);
    yield* items;
    last = items.at(-1);
    // Where the store answers at once, others have their turn between two pages.
    await setImmediate();
  } while (items.length === PAGE);
}
