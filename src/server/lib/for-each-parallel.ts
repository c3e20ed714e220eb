/** Runs `work` for the items, at most `count` at a time, in their order. @throws the first error, and starts no more then. */
export async function forEachParallel<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runOneByOne = async () => {
    try {
      for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
    } catch (error) {
      next = items.length;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: count }, runOneByOne));
}
