/** Merges sources of numbered events. */
import type { FoundEvent } from './history.ts';

/** Merges sources that are each in descending order. Reads a source only when its turn comes. */
export async function* mergeNewestFirst(
  sources: readonly AsyncGenerator<FoundEvent, void>[],
): AsyncGenerator<FoundEvent, void> {
  const heads = new Map<AsyncGenerator<FoundEvent, void>, FoundEvent>();
  const advance = async (source: AsyncGenerator<FoundEvent, void>) => {
    const { value } = await source.next();
    if (value) heads.set(source, value);
    else heads.delete(source);
  };
  try {
    for (const source of sources) await advance(source);
    for (;;) {
      const [newest] = [...heads].sort(([, one], [, other]) => other.sequence - one.sequence);
      if (!newest) return;
      yield newest[1];
      await advance(newest[0]);
    }
  } finally {
    for (const source of sources) await source.return();
  }
}
