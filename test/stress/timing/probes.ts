/**
 * Probes for each operation that identifies a user or a client: requests with the same response for identifiers of
 * different classes (known, unknown, locked, ...). Neither their time nor their work may reveal the class.
 */
import { randomUUID } from 'node:crypto';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import type { OperationId } from '../../../src/server/operations/index.ts';

export const appId = 'timing-app';
export const password = 'a pass phrase for tests only';
const logonPassword = 'LOGON#1';
const mobile = (phoneNumber: number) => ({ regionCode: 1, areaCode: 555, phoneNumber });

/** The data for the classes below. */
export const seed = {
  clients: [
    { clientId: 'known', appId: 'a', clientSecret: 'a-secret-for-timing-tests', grantTypes: ['client_credentials'] },
  ],
  users: [
    { userId: 'alice', userName: 'alice', password, userEmail: 'alice@example.com', legacyLogons: ['KNOWN1'] },
    {
      ...{ userId: 'bob', userName: 'bob', password, userEmail: 'bob@example.com', locked: true },
      legacyLogons: ['LOCKED1'],
    },
    { userId: 'carol', userName: 'carol', userEmail: 'carol@example.com' },
    { userId: 'dave', userName: 'dave', password },
    { userId: 'erin', userName: 'erin', password },
  ],
  mainframe: [
    { logon: 'KNOWN1', password: logonPassword, mobile: mobile(5550100) },
    { logon: 'LOCKED1', password: logonPassword, mobile: mobile(5550101) },
    { logon: 'MAIL1', password: logonPassword, email: 'mail1@example.com' },
    { logon: 'NOPASS1', mobile: mobile(5550102) },
    { logon: 'BARE1', password: logonPassword },
  ],
};

/** An identifier of a class, and whether it is sent with the correct secret. */
interface Identifier {
  readonly name: string;
  readonly hasCorrectSecret?: boolean;
}

type Classes = Readonly<Record<string, Identifier>>;

/** The other classes are compared with the first one. */
const classes = {
  user: {
    known: { name: 'alice' },
    unknown: { name: 'unknown-user' },
    locked: { name: 'bob' },
    'locked, with the correct secret': { name: 'bob', hasCorrectSecret: true },
    'without a password': { name: 'carol' },
    'without a contact': { name: 'dave' },
  },
  logon: {
    known: { name: 'KNOWN1' },
    unknown: { name: 'NOLOGON1' },
    'of a locked user': { name: 'LOCKED1' },
    'without a user': { name: 'MAIL1' },
    'without a password': { name: 'NOPASS1' },
    'without a contact': { name: 'BARE1' },
  },
  contact: {
    'of a user': { name: 'alice@example.com' },
    unknown: { name: 'unknown@example.com' },
    'of a locked user': { name: 'bob@example.com' },
  },
  client: {
    known: { name: 'known' },
    unknown: { name: 'unknown-client' },
    'without a secret': { name: appId },
  },
} satisfies Record<string, Classes>;

export interface ProbeRequest {
  /** The path after the service prefix, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Probe {
  readonly operation: OperationId;
  readonly about: keyof typeof classes;
  readonly classes: Classes;
  /** The status that all classes must return. */
  readonly status: number;
  /** Sends the request with the token of the signed-in user erin. */
  readonly isSignedIn?: boolean;
  request(identifier: Identifier): ProbeRequest;
}

const app = `?clientId=${appId}`;
const basic = (name: string, secret: string) => ({ authorization: `Basic ${btoa(`${name}:${secret}`)}` });
const pickSecret = (secret: string, { hasCorrectSecret }: Identifier) =>
  hasCorrectSecret ? secret : `wrong ${randomUUID()}`;

function json(path: string, body: object): ProbeRequest {
  return { path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function form(fields: Record<string, string>): ProbeRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { path: '/client-identities/connect/token', headers, body: new URLSearchParams(fields).toString() };
}

type CreateProbeRequest = (identifier: Identifier) => ProbeRequest;

function probe(
  operation: OperationId,
  about: keyof typeof classes,
  status: number,
  request: CreateProbeRequest,
): Probe {
  return { operation, about, classes: classes[about], status, request };
}

/** A POST without a body, with credentials in a header. */
const emptyPost = (path: string, headers: Record<string, string>): ProbeRequest => ({ path, headers });

export const probes: readonly Probe[] = [
  probe('client-identities.login', 'client', 401, ({ name }) =>
    emptyPost('/client-identities/login', basic(name, randomUUID())),
  ),
  probe('client-identities.connect-token', 'client', 401, ({ name }) =>
    form({ grant_type: 'client_credentials', client_id: name, client_secret: randomUUID() }),
  ),
  probe('client-identities.connect-token', 'user', 400, (user) =>
    form({ grant_type: 'password', client_id: appId, username: user.name, password: pickSecret(password, user) }),
  ),
  probe('generate-token.create', 'client', 401, ({ name }) =>
    json('/generate-token', { grantType: 'client_credentials', clientId: name, clientSecret: randomUUID() }),
  ),
  probe('generate-token.create', 'user', 401, (user) =>
    json('/generate-token', {
      ...{ grantType: 'password', clientId: appId, userName: user.name },
      password: pickSecret(password, user),
    }),
  ),
  probe('user-identities.login', 'user', 401, (user) =>
    emptyPost(`/user-identities/login${app}`, basic(user.name, pickSecret(password, user))),
  ),
  probe('user-identities.login-legacy', 'logon', 401, (logon) =>
    emptyPost(`/user-identities/login-legacy${app}`, basic(logon.name, pickSecret(logonPassword, logon))),
  ),
  probe('user-identities.identification', 'contact', 201, ({ name }) =>
    json(`/user-identities/identification${app}`, { userEmail: name }),
  ),
  probe('user-identities.create', 'contact', 412, ({ name }) =>
    json(`/user-identities${app}`, { userName: `new-${randomUUID()}`, userEmail: name, token: '000000' }),
  ),
  probe('user-identities.retrieve', 'user', 201, ({ name }) =>
    json(`/user-identities/retrieve-identity${app}`, { userName: name }),
  ),
  probe('user-identities.retrieve-legacy', 'logon', 201, ({ name }) =>
    json(`/user-identities/retrieve-legacy-identity${app}`, { logon: name }),
  ),
  probe('user-identities.reset-password', 'user', 412, ({ name }) =>
    json(`/user-identities/reset-password${app}`, {
      ...{ username: name, validationCode: '000000' },
      newPassword: 'a new pass phrase, for later',
    }),
  ),
  probe('user-identities.reset-legacy-password', 'logon', 401, ({ name }) =>
    json(`/user-identities/reset-legacy-password${app}`, {
      ...{ logon: name, token: '000000', hash: randomUUID() },
      newPassword: 'NEW#PW1',
    }),
  ),
  probe('user-identities.remember-me', 'user', 401, ({ name }) =>
    json(`/user-identities/remember-me${app}`, {
      ...{ userName: name, refreshToken: randomUUID() },
      deviceTokenId: randomUUID(),
    }),
  ),
  ...(['email', 'mobile'] as const).map((channel): Probe => {
    const operation = `user-identities.associate-legacy-by-${channel}` as const;
    const request: CreateProbeRequest = ({ name }) =>
      json(`/user-identities/me/legacy-logons/${channel}`, { logon: name });
    return { ...probe(operation, 'logon', 201, request), isSignedIn: true };
  }),
];

/** These operations identify the user by an assertion signed by a third party, which cannot be forged from a name. */
export const assertionOperations: readonly OperationId[] = [
  'user-identities.certificate-login',
  'user-identities.login-federated',
  'user-identities.renew-app-token',
];

export function pathOf({ path }: ProbeRequest): string {
  return servicePrefix + path;
}
