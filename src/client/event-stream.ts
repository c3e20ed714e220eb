/** Server-sent events (EventSource in the HTML standard) as an async iterator. */
import { errorItems } from './error-items.ts';
import { ClientError, NetworkError } from './errors.ts';
import { type ApiResponse, assertSuccess } from './response.ts';
import { getAbortReason } from './transport.ts';

export interface ServerSentEvent {
  /** Its position in the stream: a later request can continue after it. */
  readonly id: string | undefined;
  readonly event: string;
  /** Parsed JSON. */
  readonly data: unknown;
}

/** @throws ClientError for an error response, and if the caller may read no more; NetworkError if the connection is lost; the reason of the signal */
export async function* readEvents(
  open: () => Promise<ApiResponse>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const response = await open();
  if (!isIterable(response.body)) {
    assertSuccess(response);
    throw new NetworkError('The response is not a stream of events.', 'ANSWER_UNREADABLE', undefined);
  }
  try {
    for await (const event of parseEvents(response.body)) {
      if (event.event === 'end') throw toEndError(event.data, response.requestId);
      yield event;
    }
  } catch (cause) {
    if (signal?.aborted) throw getAbortReason(signal);
    if (cause instanceof ClientError) throw cause;
    throw new NetworkError('The connection was lost while reading events.', 'NETWORK', cause);
  }
}

/** The error of a caller that lost its session or roles while it was reading. */
function toEndError(data: unknown, requestId: string | undefined): ClientError {
  const { status, errors } = (data as { readonly end: { readonly status: number; readonly errors: unknown } }).end;
  return new ClientError({ status, items: errorItems(errors), requestId });
}

function isIterable(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** Each event ends with an empty line. Comments, which the server sends as a heartbeat, have no data. */
async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of chunks) {
    const blocks = (buffered + decoder.decode(chunk, { stream: true })).split('\n\n');
    buffered = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

function parseEvent(block: string): ServerSentEvent | undefined {
  const lines = block.split('\n');
  const readField = (field: string) =>
    lines
      .find((line) => line.startsWith(`${field}:`))
      ?.slice(field.length + 1)
      .trimStart();
  const data = readField('data');
  if (data === undefined) return undefined;
  return { id: readField('id'), event: readField('event') ?? 'message', data: JSON.parse(data) as unknown };
}
