/**
 * Changes on the server, as they happen: one stream of server-sent events, which all tabs of the console share, because
 * browsers open at most six connections to a server. The tab that holds the lock reads the stream and passes the events
 * on. A hidden tab gives the stream up, so that only a tab in use holds a connection.
 */

import { type ControlData, consoleRequestOptions } from '../clients.ts';
import type { Connection } from '../connection.ts';
import type { CredentialStore } from '../credentials.ts';
import type { ConsoleLocation } from '../location.ts';
import { judge } from '../permissions.ts';
import { findChangedNouns, type ObjectNoun } from './changed-nouns.ts';

const liveTopics = ['inbox', 'requests', 'audit', 'clock', 'faults'] as const;
export type Topic = (typeof liveTopics)[number];
const liveReads = [...liveTopics, 'users', 'groups', 'clients'] as const satisfies readonly (Topic | ObjectNoun)[];

/** Whether the caller may read messages, as far as that is known now. */
export function mayReadInbox(credentials: CredentialStore): boolean {
  const login = credentials.get();
  return login === undefined || judge('GET /_iam/inbox', login.caller).isAllowed;
}

/** Without the inbox, whose messages contain codes, if the caller may not read it. */
function topicsOf(credentials: CredentialStore): readonly Topic[] {
  return mayReadInbox(credentials) ? liveTopics : liveTopics.filter((topic) => topic !== 'inbox');
}

/** The history of one object, by its id: most audit events are about others. */
export type HistoryTopic = `history of ${string}`;

/** What an audit event changed. */
type Change = HistoryTopic | ObjectNoun;

/** `connected` follows a gap: everything may have changed. The first connection of a page has none: see `untilReadable`. */
export type LiveEvent = Topic | Change | 'connected' | 'disconnected';

export interface LiveEvents {
  /** Calls the listener with each change. @returns a function that removes it */
  subscribe(listener: (event: LiveEvent) => void): () => void;
  /**
   * Resolves when a path of the control plane can be read. For what the stream reports, that is when it is connected, or
   * cannot be soon: an earlier response could lack a change that the stream does not report, and had to be read again.
   */
  untilReadable(path: string): Promise<void>;
  /** Starts reading; each page of the console does it once. @returns a function that ends it */
  start(): () => void;
}

const firstRetry = 500;
const longestRetry = 10_000;

/** A proxy may hold the stream back. */
const longestStart = 1000;

export function createLiveEvents(
  { basePath }: ConsoleLocation,
  credentials: CredentialStore,
  connection: Connection,
): LiveEvents {
  const listeners = new Set<(event: LiveEvent) => void>();
  const channel = new BroadcastChannel(`iam-console${basePath}`);
  const emit = (event: LiveEvent) => {
    for (const listener of listeners) listener(event);
  };
  channel.onmessage = ({ data }: MessageEvent<SharedEvent>) => {
    if (data.subject === subjectOf(credentials)) emit(data.event);
  };

  const share = (event: LiveEvent) =>
    channel.postMessage({ subject: subjectOf(credentials), event } satisfies SharedEvent);
  const publish = (event: LiveEvent) => {
    emit(event);
    share(event);
  };

  let streamStart = createStreamStart();

  /** Reads the stream until the signal; reconnects with growing pauses. */
  async function readWhile(signal: AbortSignal): Promise<void> {
    let pause = firstRetry;
    let lastId: string | undefined;
    while (!signal.aborted) {
      await readStream({ basePath, credentials, connection, signal, lastId }, (event, id) => {
        lastId = id ?? lastId;
        if (event !== 'connected') return publish(event);
        pause = firstRetry;
        // Pages wait for it; those of other tabs have missed what happened since another tab stopped reading.
        if (streamStart.settle()) share(event);
        else publish(event);
      });
      streamStart.settle();
      if (signal.aborted) return;
      publish('disconnected');
      await delay(pause, signal);
      pause = Math.min(pause * 2, longestRetry);
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    untilReadable: async (path) => {
      if (liveReads.some((noun) => noun === path.split('/')[1])) await streamStart.settled;
    },
    start() {
      let reading: { readonly subject: string; readonly controller: AbortController } | undefined;
      let lastSubject: string | undefined;
      const update = () => {
        const subject = document.visibilityState === 'visible' ? subjectOf(credentials) : undefined;
        if (subject === reading?.subject) return;
        reading?.controller.abort();
        reading = subject === undefined ? undefined : { subject, controller: new AbortController() };
        if (!reading || subject === undefined) return void streamStart.settle();
        // Another caller reads everything again.
        if (lastSubject !== undefined && subject !== lastSubject) streamStart = createStreamStart();
        lastSubject = subject;
        const onOccupied = () => streamStart.settle();
        void readInOneTab(`iam-console${basePath} ${subject}`, reading.controller.signal, readWhile, onOccupied);
      };
      document.addEventListener('visibilitychange', update);
      const unsubscribe = credentials.subscribe(update);
      update();
      return () => {
        document.removeEventListener('visibilitychange', update);
        unsubscribe();
        reading?.controller.abort();
      };
    },
  };
}

/** What the tab that reads sends to the others. Those of other callers may see other things, and read for themselves. */
interface SharedEvent {
  readonly subject: string | undefined;
  readonly event: LiveEvent;
}

/** Who reads what; without a name on a server that requires no login. Undefined while a login is required. */
function subjectOf(credentials: CredentialStore): string | undefined {
  return credentials.isLoginRequired() ? undefined : `${topicsOf(credentials)} ${credentials.get()?.subject ?? ''}`;
}

interface StreamStart {
  readonly settled: Promise<void>;
  /** @returns false if it was settled before */
  settle(): boolean;
}

function createStreamStart(): StreamStart {
  let isPending = true;
  let resolve = () => {};
  const settled = new Promise<void>((done) => {
    resolve = done;
  });
  const settle = () => {
    const wasPending = isPending;
    isPending = false;
    resolve();
    return wasPending;
  };
  setTimeout(settle, longestStart);
  return { settled, settle };
}

/**
 * Runs in the tab that gets the lock. Without secure context there are no locks: then each tab reads.
 * @param onOccupied called if another tab has it, whose events this one receives
 */
async function readInOneTab(
  name: string,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<void>,
  onOccupied: () => void,
): Promise<void> {
  if (!('locks' in navigator)) return read(signal);
  const isFree = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await read(signal);
    return lock !== null;
  });
  if (isFree) return;
  onOccupied();
  await navigator.locks
    .request(name, { signal }, () => read(signal))
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
}

interface StreamOptions {
  readonly basePath: string;
  readonly credentials: CredentialStore;
  readonly connection: Connection;
  readonly signal: AbortSignal;
  readonly lastId: string | undefined;
}

/** Reads one connection until it ends. EventSource cannot send the credentials. */
async function readStream(
  { basePath, credentials, connection, signal, lastId }: StreamOptions,
  onEvent: (event: LiveEvent, id?: string) => void,
): Promise<void> {
  const token = credentials.get()?.accessToken;
  const headers: Record<string, string> = { ...consoleRequestOptions.headers };
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
  if (lastId !== undefined) headers['Last-Event-ID'] = lastId;
  try {
    const request = (topics: readonly Topic[]) =>
      connection.fetch(`${basePath}/_iam/events?topics=${topics.join(',')}`, {
        ...consoleRequestOptions,
        headers,
        signal,
      });
    const response = await request(topicsOf(credentials));
    // An older server has no such stream: the pages then read at intervals only.
    if (response.status === 404) await untilAborted(signal);
    // The page asks for a login, which aborts the signal.
    if (response.status === 401) credentials.requireLogin(token);
    if (response.ok && response.body) {
      onEvent('connected');
      const end = await readMessages(response.body, onEvent);
      if (end?.status === 401) credentials.requireLogin(token);
    }
  } catch {
    // No connection, or an aborted one.
  }
}

/** Why the server ended a stream: the caller may read no more. */
interface StreamEnd {
  readonly status: number;
}

/** Parses server-sent events: each ends with an empty line. Of other events than `end` only name and id are used. */
async function readMessages(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: LiveEvent, id?: string) => void,
): Promise<StreamEnd | undefined> {
  let buffered = '';
  // The stream starts with their states, which are read after the connection.
  const stated = new Set<Topic>(['clock', 'faults']);
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  for (;;) {
    const { done, value = '' } = await reader.read();
    if (done) return undefined;
    const blocks = (buffered + value).split('\n\n');
    buffered = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = fieldOf(block, 'id');
      if (fieldOf(block, 'event') === 'end')
        return (JSON.parse(fieldOf(block, 'data') ?? '') as { readonly end: StreamEnd }).end;
      const topic = liveTopics.find((known) => known === fieldOf(block, 'event'));
      if (!topic || stated.delete(topic)) continue;
      onEvent(topic, id);
      if (topic === 'audit') for (const change of changesOf(block)) onEvent(change, id);
    }
  }
}

function changesOf(block: string): Change[] {
  const { audit } = JSON.parse(fieldOf(block, 'data') ?? '') as { readonly audit: ControlData<'/audit'>[number] };
  return [...audit.objects.map(({ id }): HistoryTopic => `history of ${id}`), ...findChangedNouns(audit)];
}

function fieldOf(block: string, name: string): string | undefined {
  const line = block.split('\n').find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timeout);
      resolve();
    });
  });
}
