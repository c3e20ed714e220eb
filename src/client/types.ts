/** Types of the client that do not depend on the operations. */

/** Values of path and query parameters. */
export type Scalar = string | number | boolean;

/** Options that every method accepts besides the input of its operation. */
export interface CallOptions {
  /** Sent as If-Match: the write is rejected if the entity has changed since the response with this ETag. */
  readonly ifMatch?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sends no credentials. */
  readonly anonymous?: boolean | undefined;
  /**
   * Called when the request is written to a connection, and not for a login before it. A write that fails earlier had no
   * effect.
   */
  readonly onSent?: (() => void) | undefined;
}

/** Untyped input of an operation. */
export interface CallInput extends CallOptions {
  readonly params?: Readonly<Record<string, Scalar>> | undefined;
  readonly query?: Readonly<Record<string, Scalar | undefined>> | undefined;
  readonly body?: unknown;
}

/** One page of a list; `next` is the cursor for `after`, absent at the end. */
export interface ResultPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string | undefined;
}

/** Sends requests over connections of its own: a dispatcher of undici 7, such as `Agent`, `ProxyAgent` or `MockAgent`. */
export interface ClientDispatcher {
  request(options: {
    readonly origin: string;
    readonly path: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: { text(): Promise<string> };
  }>;
}
