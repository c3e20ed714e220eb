/** The API of a running in-process server. */
import { type ClientOptions, type Credentials, createClient, type IamClient } from '../client/index.ts';
import { servicePrefix } from '../contract/prefix.ts';
import { type AdjustableClock, copyClockState } from '../server/lib/adjustable-clock.ts';
import type { RunningServer } from '../server/listen.ts';
import type { ForkableStore } from '../server/store/memory/memory-store.ts';
import { captureBaseline } from './baseline.ts';
import { createIamClock, type IamClock } from './clock.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { createRequests, type Requests } from './requests.ts';
import type { ServerCredentials } from './server-credentials.ts';
import { createSignInTokenSource, type SignInOptions, type SignInResult, signInUser } from './sign-in.ts';

export interface IamServer extends AsyncDisposable {
  /** The address of the server, such as http://127.0.0.1:40123. */
  readonly url: string;
  /** The address with the prefix of the service, for the configuration of a program under test. */
  readonly baseUrl: string;
  /** Credentials for signing in. Generated at start unless set in the options. */
  readonly credentials: ServerCredentials;
  /** A client with the credentials of the administrator client, which has all rights. */
  readonly client: IamClient;
  /**
   * Returns a client with another identity. A string is the id or login name of a user, who is signed in without a
   * password on the first request; the token expires normally. Without an argument, requests are unauthenticated.
   */
  as(who?: string | Credentials, options?: SignInOptions): IamClient;
  /** Creates a session of a user, by id or login name, and returns its tokens. */
  signIn(user: string, options?: SignInOptions): Promise<SignInResult>;
  readonly inbox: Inbox;
  /** The last requests to the service. */
  readonly requests: Requests;
  readonly clock: IamClock;
  /**
   * Restores the state after the start: data, keys and clock, and clears the throttles. Existing tokens of clients stay
   * valid, those of users do not. Wait for pending requests before the reset.
   */
  reset(): Promise<void>;
  /** Starts another server in this process, on a separate port, with the current state and time of this one. */
  fork(): Promise<IamServer>;
  /** Closes the connections of all clients, stops the forks, and releases port and store. */
  stop(): Promise<void>;
}

export interface IamServerDeps {
  readonly service: RunningServer;
  readonly credentials: ServerCredentials;
  prepareClock(clock: AdjustableClock): void;
  /** Starts a server with the same options on a store. */
  startFork(fork: ForkRequest): Promise<IamServer>;
  onStop?: (() => void) | undefined;
}

export interface ForkRequest {
  readonly store: ForkableStore;
  prepareClock(clock: AdjustableClock): void;
  /** Called when the fork has stopped. */
  onStop(): void;
}

/** Wraps a running service. */
export async function createIamServer(deps: IamServerDeps): Promise<IamServer> {
  const { service, credentials, prepareClock, onStop } = deps;
  const { url } = service;
  const getContext = () => service.appContext;
  const baseline = await captureBaseline(service);
  const clock = createIamClock(getContext, prepareClock);
  const clients: IamClient[] = [];
  const forks = new Set<IamServer>();
  const connect = (clientCredentials: ClientOptions['credentials']) => {
    const client = createClient({ baseUrl: url, credentials: clientCredentials });
    clients.push(client);
    return client;
  };
  const signInAs = (user: string, options?: SignInOptions) => signInUser(getContext(), user, options);
  let stopped: Promise<void> | undefined;
  // In parallel: closing a client waits for its requests, and stopping the service ends pending waits.
  async function stopAll(): Promise<void> {
    const ended = [...clients.map((client) => client.close()), ...[...forks].map((fork) => fork.stop())];
    await Promise.all([service.stop(), ...ended]);
    onStop?.();
  }
  const stop = () => {
    stopped ??= stopAll();
    return stopped;
  };
  return {
    url,
    baseUrl: url + servicePrefix,
    credentials,
    client: connect(adminCredentials(credentials)),
    as: (who, options) =>
      connect(typeof who === 'string' ? { tokens: createSignInTokenSource(() => signInAs(who, options)) } : who),
    signIn: signInAs,
    inbox: createInbox(getContext),
    requests: createRequests(() => getContext().observability),
    clock,
    async reset() {
      await baseline.reset();
      clock.reset();
    },
    async fork() {
      const fork: IamServer = await deps.startFork({
        store: await baseline.fork(),
        prepareClock: copyClockState(getContext().clock),
        onStop: () => forks.delete(fork),
      });
      forks.add(fork);
      if (!stopped) return fork;
      await fork.stop();
      throw new Error('The server was stopped while it was forked.');
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function adminCredentials({ adminClientId: clientId, adminClientSecret: clientSecret }: ServerCredentials) {
  return { clientId, clientSecret };
}
