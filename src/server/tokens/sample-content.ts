/** The content of the longest token of a user, to compute its length without a login. */
import { partyRole } from '../directory/clients.ts';
import type { Reader } from '../store/store.ts';
import { type Client, memberValue, type Session, type User } from '../store/tables.ts';
import type { ClientContent, TokenSize, UserContent } from './content.ts';

export const sampleUser: User = {
  userId: '0'.repeat(24),
  lead: false,
  locked: false,
  emailVerified: false,
  mobileVerified: false,
  identities: [],
  legacyLogons: [],
  createdAt: '',
} as unknown as User;

export const sampleClient: Client = {
  clientId: '0'.repeat(24),
  appId: '0'.repeat(24),
  party: '1STPARTY',
  authorities: [],
  scope: [],
  grantTypes: [],
  factorVisibility: 'CREDENTIALS_ONLY',
  createdAt: '',
};

/** With both factors and AUTH-SMART, which last. */
export const sampleSession: Session = {
  sessionId: '00000000-0000-4000-8000-000000000000',
  clientId: sampleClient.clientId,
  level: 'AUTH-MFA',
  mfaAt: Number.MAX_SAFE_INTEGER,
  smart: true,
  remember: false,
  startedAt: 0,
  endsAt: Number.MAX_SAFE_INTEGER,
};

/** The client that users log in through, unless an application has its own. */
export async function readSampleClient(reader: Pick<Reader, 'clients'>): Promise<Client> {
  return (await reader.clients.getBy('bootstrap', 'app')) ?? sampleClient;
}

export function toSampleContent(user: User, client: Client, groupRoles: ReadonlySet<string>): UserContent {
  const claims = user.businessId === undefined ? {} : { business_id: user.businessId };
  return { kind: 'user', user, session: sampleSession, client, groupRoles, claims };
}

/** @param groupRoles those of its service; its own authorities are added */
export function toSampleClientContent(client: Client, groupRoles: ReadonlySet<string>): ClientContent {
  const own = ['AUTH-BASIC', 'CLI-AUTH-IDENTIFIED', 'CLI-AUTH-BASIC', partyRole(client)];
  return { kind: 'client', client, roles: new Set([...groupRoles, ...client.authorities, ...own]) };
}

/** Bytes by which tokens of users with the same roles differ at most, by the names and ids in them. */
export const maxDifference = 2_048;

export function fits({ length, maxLength }: Pick<TokenSize, 'length' | 'maxLength'>): boolean {
  return length <= maxLength;
}

/** The value of the service of a client in the index of members. */
export function serviceMemberValue({ serviceAccountId = '' }: Client): string {
  return memberValue({ kind: 'service', memberId: serviceAccountId });
}
