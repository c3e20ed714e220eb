/** What a server and a sandbox have in common. */
import { type ClientOptions, type Credentials, createClient, type IamClient } from '../client/index.ts';
import { servicePrefix } from '../contract/prefix.ts';
import type { AppContext } from '../server/app-context.ts';
import { type Browsers, createBrowsers } from './browser.ts';
import { captureCaller, withCaller } from './caller-stack.ts';
import { createIamClock, type IamClock } from './clock.ts';
import { createFaults, type Faults } from './faults.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { SeedInput, SeedSummary } from './library-types.ts';
import { createRequests, type Requests } from './requests.ts';
import { applySeedInput } from './seed-input.ts';
import type { ServerCredentials } from './server-credentials.ts';
import { createSignInTokenSource, type SignInOptions, type SignInResult, signInClient, signInUser } from './sign-in.ts';
import { createTokens, type Tokens } from './tokens.ts';

export interface IamInstance extends AsyncDisposable {
  /** The address where it listens, such as http://127.0.0.1:40123. */
  readonly url: string;
  /** The address for other machines, from the setting base-url, behind a proxy; otherwise `url`. */
  readonly publicUrl: string;
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
  /** Returns an access token of a client, without its secret. */
  signInClient(clientId: string): Promise<string>;
  /** Logs users in to browsers that a test drives. */
  readonly browser: Browsers;
  readonly inbox: Inbox;
  /** The last requests to the service. */
  readonly requests: Requests;
  readonly clock: IamClock;
  /** Tokens that are wrong on purpose. */
  readonly tokens: Tokens;
  /** Rules that make requests fail. */
  readonly faults: Faults;
  /**
   * Creates or updates the entries of a seed document, or of a seed file by its path, in one transaction. `reset` returns
   * to the state without them. @throws SeedError with each problem; nothing was applied.
   */
  seed(seed: string | SeedInput): Promise<SeedSummary>;
  /**
   * Restores the state after the start: data, keys and clock; clears throttles, fault rules, request log and coverage.
   * Existing tokens of clients stay valid, those of users do not. Sandboxes remain. Wait for pending requests before it.
   */
  reset(): Promise<void>;
}

export interface InstanceDeps {
  getContext(): AppContext;
  readonly url: string;
  readonly publicUrl: string;
  readonly credentials: ServerCredentials;
  reset(): Promise<void>;
}

export interface InstanceParts {
  readonly instance: Omit<IamInstance, typeof Symbol.asyncDispose>;
  /** Closes the connections of its clients. */
  close(): Promise<void>;
}

export function createInstance({ getContext, url, publicUrl, credentials, reset }: InstanceDeps): InstanceParts {
  const clients: IamClient[] = [];
  const connect = (clientCredentials: ClientOptions['credentials']) => {
    const client = createClient({ baseUrl: url, credentials: clientCredentials });
    clients.push(client);
    return client;
  };
  const signIn = withCaller((user: string, options?: SignInOptions) => signInUser(getContext(), user, options));
  function as(who?: string | Credentials, options?: SignInOptions): IamClient {
    if (typeof who !== 'string') return connect(who);
    const addCaller = captureCaller(as);
    const startSession = () =>
      signIn(who, options).catch((error: unknown) => {
        throw addCaller(error);
      });
    return connect({ tokens: createSignInTokenSource(startSession) });
  }
  const { adminClientId: clientId, adminClientSecret: clientSecret } = credentials;
  return {
    instance: {
      url,
      publicUrl,
      baseUrl: url + servicePrefix,
      credentials,
      client: connect({ clientId, clientSecret }),
      as,
      signIn,
      signInClient: withCaller((clientId: string) => signInClient(getContext(), clientId)),
      browser: createBrowsers(getContext),
      inbox: createInbox(getContext),
      requests: createRequests(getContext),
      clock: createIamClock(getContext),
      tokens: createTokens(getContext),
      faults: createFaults(getContext),
      seed: (seed) => applySeedInput(getContext(), seed),
      reset,
    },
    async close() {
      // Each once, also if a sandbox is deleted twice.
      await Promise.all(clients.splice(0).map((client) => client.close()));
    },
  };
}
