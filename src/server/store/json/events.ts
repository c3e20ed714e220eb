/** What the file engine tells the log. Nothing of it is for callers. */
export type StoreEvent =
  /** The last write before a crash was never finished: what there is of it was moved to `kept`. */
  | { readonly event: 'torn-tail'; readonly file: string; readonly offset: number; readonly kept: string }
  /** The current checkpoint can't be read; the one before it and the journal hold all of it. */
  | { readonly event: 'older-checkpoint-used'; readonly file: string; readonly error: unknown }
  | { readonly event: 'checkpoint-written'; readonly sequence: number; readonly bytes: number }
  | { readonly event: 'checkpoint-failed'; readonly error: unknown }
  /** A write was refused; the next one is tried again. */
  | { readonly event: 'write-failed'; readonly error: unknown }
  /** No more writes are taken until the next start. */
  | { readonly event: 'writes-stopped'; readonly error: unknown };

export type LogStoreEvent = (event: StoreEvent) => void;
