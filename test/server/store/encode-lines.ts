import { type EncodedBatch, encodeBatch, type WalPosition } from '../../../src/server/store/file/wal-record.ts';
import type { Overlay } from '../../../src/server/store/memory/overlay.ts';

/** Encodes a batch in one piece. */
export function encodeLines(
  position: WalPosition,
  commits: readonly Overlay[],
): { readonly bytes: Buffer } & Pick<EncodedBatch, 'lastHash'> {
  const slices = encodeBatch(position, commits);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return { bytes: Buffer.concat(value.pieces), lastHash: value.lastHash };
  }
}
