/**
 * The access token for the operations of the interface: the token of the login, or on a server that requires no login the
 * token of an administrator client, which the server issues to pages of its own machine.
 */
import type { Client } from 'openapi-fetch';
import type { paths as ControlPaths } from '#control-api';
import type { CredentialStore } from './credentials.ts';
import { unwrap } from './errors.ts';

/** A token is renewed this long before it expires, in milliseconds of this machine. */
const renewalMargin = 30_000;

interface IssuedToken {
  readonly accessToken: string;
  readonly renewAt: number;
}

export interface ServiceTokens {
  /**
   * Sends a request with the current token; undefined if no client has the authority of an administrator. If the server
   * rejects a token that it issued to the console, for example after a reset or a change of its clock, the request is
   * sent once more with another one. The token of a login requires another login.
   */
  send<Result>(
    request: (token: string | undefined) => Promise<Result>,
    isRejected: (result: Result) => boolean,
  ): Promise<Result>;
  /** The next request obtains another token. */
  forget(): void;
}

/** @param now milliseconds since the epoch */
export function createServiceTokens(
  control: Client<ControlPaths>,
  credentials: CredentialStore,
  now: () => number,
): ServiceTokens {
  let issued: Promise<IssuedToken | undefined> | undefined;

  async function readIssued(): Promise<string | undefined> {
    issued ??= issueToken(control, now).catch((error: unknown) => {
      issued = undefined;
      throw error;
    });
    const token = await issued;
    if (token !== undefined && token.renewAt > now()) return token.accessToken;
    issued = undefined;
    return token === undefined ? undefined : readIssued();
  }

  /** Not if another request that was rejected at the same time has obtained a token since. */
  async function replaceIssued(rejected: string): Promise<string | undefined> {
    if ((await issued)?.accessToken === rejected) issued = undefined;
    return readIssued();
  }

  return {
    async send(request, isRejected) {
      const login = credentials.get()?.accessToken;
      const token = login ?? (await readIssued());
      const result = await request(token);
      if (token === undefined || !isRejected(result)) return result;
      if (login !== undefined) {
        credentials.requireLogin(login);
        return result;
      }
      const other = await replaceIssued(token);
      return other === undefined ? result : request(other);
    },
    forget() {
      issued = undefined;
    },
  };
}

async function issueToken(control: Client<ControlPaths>, now: () => number): Promise<IssuedToken | undefined> {
  const clientId = await findAdministratorClient(control);
  if (clientId === undefined) return undefined;
  const token = await unwrap(control.POST('/sessions', { body: { clientId } as never }));
  // With the setting expires-in=epoch this is later than the expiry: the token is then replaced when it is rejected.
  return { accessToken: token.accessToken, renewAt: now() + Number(token.expiresIn) * 1000 - renewalMargin };
}

async function findAdministratorClient(control: Client<ControlPaths>): Promise<string | undefined> {
  const clients = await unwrap(control.GET('/clients', { params: { query: { limit: 1000 } } }));
  const found = clients.find(
    ({ authorities, party }) => party === '1STPARTY' && authorities.includes('IAM_ADMIN_MAINTENANCE'),
  );
  return found?.clientId;
}
