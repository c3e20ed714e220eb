/** One running service as a test sees it. */
import { type ClientOptions, type Credentials, createClient, type IamClient } from '../client/index.ts';
import { servicePrefix } from '../contract/prefix.ts';
import { type AdjustableClock, copyClockState } from '../server/adjustable-clock.ts';
import type { RunningServer } from '../server/http/listen.ts';
import type { ForkableStore } from '../server/store/memory.ts';
import { captureBaseline } from './baseline.ts';
import { createIamClock, type IamClock } from './clock.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { createRequests, type Requests } from './requests.ts';
import { createSignInTokenSource, type SignInOptions, type SignInResult, signInUser } from './sign-in.ts';
import type { ServerCredentials } from './start-server.ts';

export interface IamServer extends AsyncDisposable {
  /** Where it listens, such as http://127.0.0.1:40123. */
  readonly url: string;
  /** The same with the prefix of the service interface: what a program under test is configured with. */
  readonly baseUrl: string;
  /** What to sign in with. Made at random at this start, but for what was given. */
  readonly credentials: ServerCredentials;
  /** Calls as the administrator client, which may do everything. */
  readonly client: IamClient;
  /**
   * Calls as somebody else. A name is that of a user, by id or login name: he is signed in at the first call, without
   * a password; his token ends as any other does. Credentials are used as they are; without any, calls go without.
   */
  as(who?: string | Credentials, options?: SignInOptions): IamClient;
  /** A new session of a user, by id or login name, and its tokens: for a program under test that needs them. */
  signIn(user: string, options?: SignInOptions): Promise<SignInResult>;
  readonly inbox: Inbox;
  /** The last calls of the service interface. */
  readonly requests: Requests;
  readonly clock: IamClock;
  /**
   * Back to how it was when it started: rows, keys and clock; counts of failures are forgotten. Tokens from before it of
   * clients are still taken, those of users are not. Calls that are under way should have ended.
   */
  reset(): Promise<void>;
  /** Another server in this process, on a port of its own, that begins with the state and the time of this one. */
  fork(): Promise<IamServer>;
  /** Ends the connections of all its clients, and gives port and store back. Its forks go on. */
  stop(): Promise<void>;
}

export interface IamServerDeps {
  readonly service: RunningServer;
  readonly credentials: ServerCredentials;
  prepareClock(clock: AdjustableClock): void;
  /** Starts a server like this one upon a store. */
  startFork(store: ForkableStore, prepareClock: (clock: AdjustableClock) => void): Promise<IamServer>;
}

/** Wraps a service that has just started. */
export async function createIamServer(deps: IamServerDeps): Promise<IamServer> {
  const { service, credentials, prepareClock } = deps;
  const { url } = service;
  const world = () => service.appContext;
  const baseline = await captureBaseline(service);
  const clock = createIamClock(world, prepareClock);
  const clients: IamClient[] = [];
  const connect = (clientCredentials: ClientOptions['credentials']) => {
    const client = createClient({ baseUrl: url, credentials: clientCredentials });
    clients.push(client);
    return client;
  };
  const signInAs = (user: string, options?: SignInOptions) => signInUser(world(), user, options);
  let stopped: Promise<void> | undefined;
  // Together: who still waits for a message is let go by the service, and a client waits for its calls.
  async function stopAll(): Promise<void> {
    await Promise.all([service.stop(), ...clients.map((client) => client.close())]);
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
    inbox: createInbox(world),
    requests: createRequests(() => world().observability),
    clock,
    async reset() {
      await baseline.reset();
      clock.reset();
    },
    fork: async () => deps.startFork(await baseline.fork(), copyClockState(world().clock)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function adminCredentials({ adminClientId: clientId, adminClientSecret: clientSecret }: ServerCredentials) {
  return { clientId, clientSecret };
}
