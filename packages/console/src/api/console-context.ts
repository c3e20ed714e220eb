/** What every part of the console uses, from one place: the clients, the credentials and the location. */
import { createContext, useContext } from 'react';
import {
  type ControlClient,
  createControlClient,
  createLoginClient,
  createServerControlClient,
  createServiceClient,
  type ServiceClient,
} from './clients.ts';
import { type Connection, createConnection } from './connection.ts';
import { type CredentialStore, createCredentialStore } from './credentials.ts';
import { createLiveEvents, type LiveEvents } from './live/live-events.ts';
import type { ConsoleLocation } from './location.ts';
import { createNamesReader, type NamesReader } from './names-reader.ts';
import { createServiceTokens, type ServiceTokens } from './service-token.ts';

export interface Console {
  readonly location: ConsoleLocation;
  readonly credentials: CredentialStore;
  /** The control plane of the service that the console shows. */
  readonly control: ControlClient;
  /** The control plane of the server, which manages the sandboxes. */
  readonly serverControl: ControlClient;
  /** The operations of the interface. */
  readonly service: ServiceClient;
  /** The tokens of these operations. */
  readonly serviceTokens: ServiceTokens;
  /** The client through which users log in by default; empty if the server names none. */
  readonly loginClient: string;
  /** The operations of a login. */
  readonly login: ServiceClient;
  readonly liveEvents: LiveEvents;
  readonly names: NamesReader;
  /** What sends the requests of these clients. */
  readonly connection: Connection;
  /** A token from the palette to the page of tokens: it is a secret, so it is neither in the URL nor in the history. */
  readonly pasted: PastedToken;
  /** Milliseconds since the epoch, by the clock of this machine. */
  now(): number;
}

export interface PastedToken {
  put(token: string): void;
  /** Returns it once. */
  take(): string | undefined;
}

function createPastedToken(): PastedToken {
  let pasted: string | undefined;
  return {
    put(token) {
      pasted = token;
    },
    take() {
      const token = pasted;
      pasted = undefined;
      return token;
    },
  };
}

export function createConsole(location: ConsoleLocation, loginClient: string, now: () => number): Console {
  const credentials = createCredentialStore();
  const connection = createConnection(location);
  const liveEvents = createLiveEvents(location, credentials, connection);
  const control = createControlClient(location, credentials, connection.fetch, liveEvents.untilReadable);
  // A write needs a token as well, so that its requests must not wait.
  const tokenControl = createControlClient(location, credentials, connection.send, async () => {});
  const serviceTokens = createServiceTokens(tokenControl, credentials, now);
  return {
    location,
    credentials,
    control,
    serverControl: location.sandbox === undefined ? control : createServerControlClient(location),
    service: createServiceClient(location, serviceTokens, connection),
    serviceTokens,
    loginClient,
    login: createLoginClient(location, connection),
    liveEvents,
    names: createNamesReader(control),
    connection,
    pasted: createPastedToken(),
    now,
  };
}

export const ConsoleContext = createContext<Console | undefined>(undefined);

/** @throws Error outside the console's own tree */
export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (!found) throw new Error('useConsole needs a ConsoleContext');
  return found;
}
