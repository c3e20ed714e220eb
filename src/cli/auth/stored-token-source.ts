/** Tokens of user logins: from a session file, refreshed by one process at a time, or from credentials in the environment. */
import type { AnonymousCall, TokenSource } from '../../client/credentials.ts';
import { ClientError } from '../../client/errors.ts';
import { isSameBaseUrl } from '../config/server-url.ts';
import { categoryOf, type ErrorTable, signInNeededError } from '../errors.ts';
import type { Environment } from '../io/io.ts';
import { withFileLock } from '../io/private-files.ts';
import type { ResolvedCredentials } from './credentials.ts';
import {
  expiryMargin,
  getSessionPath,
  parseSession,
  readSession,
  type StoredSession,
  writeSession,
} from './session-file.ts';
import { loginUser } from './user-login.ts';

/** Creates the token source of a user from the environment, or of the session that `iam login` stored in a profile. */
export function createTokenSource(
  credentials: ResolvedCredentials,
  baseUrl: string,
  environment: Environment,
  table: ErrorTable,
): TokenSource {
  return credentials.kind === 'user'
    ? createEnvironmentTokenSource(credentials)
    : new StoredTokenSource(credentials, baseUrl, environment, table);
}

class StoredTokenSource implements TokenSource {
  readonly #found: ResolvedCredentials;
  readonly #baseUrl: string;
  readonly #environment: Environment;
  readonly #table: ErrorTable;
  #current: Promise<string> | undefined;
  #last: StoredSession | undefined;
  #refused: string | undefined;
  #refusedFor: string | undefined;
  #isFresh = false;

  constructor(credentials: ResolvedCredentials, baseUrl: string, environment: Environment, table: ErrorTable) {
    this.#found = credentials;
    this.#baseUrl = baseUrl;
    this.#environment = environment;
    this.#table = table;
  }

  /** Concurrent requests share one refresh. */
  async token(call: AnonymousCall): Promise<string> {
    this.#current ??= this.#obtain(call);
    try {
      return await this.#current;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  /** A rejected token may predate a new role, which only the next token contains. */
  renew(code: string): boolean {
    const mayHelp = code === 'ROLE_MISSING' && !this.#isFresh && this.#last?.refreshToken !== undefined;
    if (code !== 'TOKEN_INVALID' && !mayHelp) return false;
    this.#refused = this.#last?.accessToken;
    this.#refusedFor = code;
    this.#current = undefined;
    return true;
  }

  async #obtain(call: AnonymousCall): Promise<string> {
    const { profile = '' } = this.#found;
    const { variables } = this.#environment;
    const stored = await this.#read();
    if (this.#isGood(stored)) return this.#use(stored);
    return withFileLock(`${getSessionPath(profile, variables)}.lock`, async () => {
      // Another process may have refreshed it; a refresh token must not be used twice.
      const latest = await this.#read();
      if (this.#isGood(latest)) return this.#use(latest);
      const renewed = await this.#renewed(call, latest).catch((error: unknown) => {
        // The refresh only checks for a new role; the error to report is the missing role.
        if (this.#refusedFor !== 'ROLE_MISSING') throw error;
        return undefined;
      });
      if (!renewed) {
        this.#isFresh = true;
        return this.#use(latest);
      }
      await writeSession(profile, renewed, variables);
      this.#isFresh = true;
      return this.#use(renewed);
    });
  }

  #use(session: StoredSession): string {
    this.#last = session;
    return session.accessToken;
  }

  async #read(): Promise<StoredSession> {
    const stored = await readSession(this.#found.profile ?? '', this.#environment.variables);
    const { clientId, userName } = this.#found;
    if (!stored || stored.clientId !== clientId || stored.userName !== userName) throw sessionEndedError(this.#found);
    // The base URL of the profile has changed since.
    if (!isSameBaseUrl(stored.baseUrl, this.#baseUrl))
      throw signInAgainError(this.#found, `is for ${stored.baseUrl}, not for ${this.#baseUrl}; nothing was sent`);
    return stored;
  }

  #isGood({ accessToken, expiresAt }: StoredSession): boolean {
    return accessToken !== this.#refused && expiresAt - expiryMargin > this.#environment.now();
  }

  /** Ignores signals: an interrupted refresh would lose the session. */
  async #renewed(call: AnonymousCall, { refreshToken, ...identity }: StoredSession): Promise<StoredSession> {
    if (refreshToken === undefined) throw sessionEndedError(this.#found);
    const { clientId, clientSecret } = this.#found;
    const body = { grantType: 'refresh_token', clientId, clientSecret, refreshToken };
    try {
      const response = await call('generate-token.create', { body });
      const renewed = parseSession(response.body, identity, this.#environment.now());
      if (!renewed) throw sessionEndedError(this.#found);
      return { refreshToken, ...renewed };
    } catch (error) {
      const isOver =
        error instanceof ClientError && (error.status === 401 || categoryOf(this.#table, error) === 'grant');
      throw isOver ? sessionEndedError(this.#found) : error;
    }
  }
}

function sessionEndedError(credentials: ResolvedCredentials) {
  return signInAgainError(credentials, 'has expired');
}

function signInAgainError({ userName, clientId }: ResolvedCredentials, reason: string) {
  const again = userName === undefined ? 'iam login' : `iam login --user ${userName}`;
  return signInNeededError(`The session of ${userName ?? clientId} ${reason}.`, `Sign in again with \`${again}\`.`);
}

/** Logs in once per run and stores nothing. A failed login is not kept: a retry of the request logs in again. */
function createEnvironmentTokenSource({
  userName = '',
  password = '',
  clientId = '',
}: ResolvedCredentials): TokenSource {
  let token: Promise<string> | undefined;
  const obtain = async (call: AnonymousCall) => {
    const { body } = await loginUser(call, { userName, password, clientId, remember: false });
    return String((body as Record<string, unknown>).accessToken);
  };
  return {
    token: (call) => {
      token ??= obtain(call).catch((error: unknown) => {
        token = undefined;
        throw error;
      });
      return token;
    },
    renew: (code) => {
      if (code === 'TOKEN_INVALID') token = undefined;
      return code === 'TOKEN_INVALID';
    },
  };
}
