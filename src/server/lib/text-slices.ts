/** Characters per slice: half a millisecond of work. */
const sliceLength = 64 * 1024;

/** Joins small texts into slices of bytes, of which each can be sent or written in a turn of its own. */
export function* toSlices(texts: Iterable<string>): Generator<Buffer> {
  let slice = '';
  for (const text of texts) {
    slice += text;
    if (slice.length < sliceLength) continue;
    yield Buffer.from(slice);
    slice = '';
  }
  yield Buffer.from(slice);
}
