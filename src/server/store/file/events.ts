/** Events that the file engine logs. They are never sent to callers. */
export type StoreEvent =
  /** The last write before a crash is incomplete: the torn tail was moved to the file `quarantined`. */
  | { readonly event: 'torn-tail'; readonly file: string; readonly offset: number; readonly quarantined: string }
  /** The current checkpoint can't be read; the previous one and the write-ahead log were used. */
  | { readonly event: 'older-checkpoint-used'; readonly file: string; readonly error: unknown }
  | { readonly event: 'checkpoint-written'; readonly sequence: number; readonly bytes: number }
  | { readonly event: 'checkpoint-failed'; readonly error: unknown }
  /** A write failed; the next one is attempted. */
  | { readonly event: 'write-failed'; readonly error: unknown }
  /** A file of the open store was replaced or removed: writes are rejected until the next start. */
  | { readonly event: 'dispossessed'; readonly file: string; readonly reason: string }
  /** Writes are rejected until the next start. */
  | { readonly event: 'writes-stopped'; readonly error: unknown };

export type LogStoreEvent = (event: StoreEvent) => void;
