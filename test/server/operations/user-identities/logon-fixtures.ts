/** Mainframe logons, bound and unbound, and a failing mainframe, for the tests of legacy logons. */

import type { IamClient } from '../../../../src/client/index.ts';
import { apiError } from '../../../../src/contract/errors.ts';
import type { Mainframe } from '../../../../src/server/legacy/mainframe.ts';
import type { SeedUser } from '../../../../src/server/seed/schema.ts';
import type { Logon } from '../../../../src/server/store/tables.ts';
import { appClientId, type TestServer, type TestServerOptions } from '../../../harness.ts';
import { basic, hashFast, passwordHash, startWith } from './login-fixtures.ts';

export const logonPassword = 'OLD#PW1';
const logonHash = await hashFast(logonPassword);

export const dora = {
  userId: 'dora-id',
  userName: 'dora',
  userEmail: 'dora@example.com',
  userMobile: { regionCode: 1, areaCode: 555, phoneNumber: 5550142 },
  passwordHash,
  legacyLogons: ['DORA1'],
} satisfies SeedUser;

/** DORA1 is bound to Dora; the others are unbound. BARE1 has neither mobile number nor e-mail address. */
export const logons: readonly Logon[] = [
  {
    logon: 'DORA1',
    passwordHash: logonHash,
    email: 'dora@mainframe.example',
    mobile: { regionCode: 1, areaCode: 555, phoneNumber: 5550100 },
  },
  {
    logon: 'FREE1',
    passwordHash: logonHash,
    email: 'free@mainframe.example',
    mobile: { regionCode: 1, areaCode: 555, phoneNumber: 5550101 },
  },
  { logon: 'MAIL1', passwordHash: logonHash, email: 'mail@mainframe.example' },
  { logon: 'BARE1', passwordHash: logonHash },
];

export const mobiles = { DORA1: '+15555550100', FREE1: '+15555550101' } as const;

/** Starts a server with Alice, Dora and the logons. */
export async function startWithLogons(options: TestServerOptions = {}, users: readonly SeedUser[] = []) {
  const server = await startWith([dora, ...users], options);
  await server.appContext.store.transaction(async (tx) => {
    for (const logon of logons) await tx.logons.insert(logon);
  });
  return server;
}

/** Logs in over HTTP and returns the whole token response. */
export function logInLegacy(server: TestServer, logon: string, { secret = logonPassword, remember = false } = {}) {
  return server.as().userIdentities.loginLegacy({
    query: { clientId: appClientId, 'remember-me': remember },
    headers: { authorization: basic(logon, secret) },
  });
}

/** Sends requests with the token of a logon. */
export async function createLogonClient(server: TestServer, logon: string): Promise<IamClient> {
  return server.as({ token: (await logInLegacy(server, logon)).accessToken });
}

/** Requests a code for a logon as the application client. */
export function retrieve(server: TestServer, logon: string) {
  return server.as().userIdentities.retrieveLegacy({ query: { clientId: appClientId }, body: { logon } });
}

/** Replaces functions of the mainframe and returns the previous ones. */
export function replaceMainframe(server: TestServer, requests: Partial<Mainframe>): Mainframe {
  const before = server.appContext.mainframe;
  Object.assign(server.appContext, { mainframe: { ...before, ...requests } });
  return before;
}

/** Stops the mainframe and returns a function that restores it. */
export function stopMainframe(server: TestServer): () => void {
  const fails = async (): Promise<never> => {
    throw apiError('MAINFRAME_UNAVAILABLE');
  };
  const before = replaceMainframe(server, {
    verify: fails,
    find: fails,
    create: fails,
    setPassword: fails,
    remove: fails,
  });
  return () => void replaceMainframe(server, before);
}

/** Runs a change after a function of the mainframe and before the request continues. */
export function afterMainframeRequest(
  server: TestServer,
  name: 'verify' | 'find' | 'create' | 'setPassword',
  change: () => Promise<unknown>,
): void {
  const request = server.appContext.mainframe[name] as (...input: unknown[]) => Promise<unknown>;
  const delayed = async (...args: unknown[]) => {
    const response = await request(...args);
    await change();
    return response;
  };
  replaceMainframe(server, { [name]: delayed });
}

/** Changes to a user, such as a lock or a removal, between two steps of a flow. */
export const interruptions: Readonly<Record<string, (server: TestServer, userId: string) => Promise<unknown>>> = {
  lock: (server, userId) => server.admin.userIdentities.lock({ body: { userId } }),
  removal: (server, userId) => server.admin.userIdentities.remove({ params: { id: userId } }),
  'lock and unlock': async (server, userId) => {
    await server.admin.userIdentities.lock({ body: { userId } });
    await server.admin.userIdentities.unlock({ body: { userId } });
  },
};
