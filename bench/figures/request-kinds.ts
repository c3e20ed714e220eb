/** The kinds of requests whose throughput is measured. */

import { client, type ServerUnderTest, type Size } from '../environment.ts';
import type { Load } from '../load-driver.ts';
import { chainLength, groupIdOf, type UserSet, userIdOf, userSetSize } from '../names.ts';
import { appClientId, bare, basic, loginUser, type RequestParts, userLoginParts, withJson } from '../requests.ts';

export interface RequestKind {
  readonly name: string;
  readonly status: number;
  /** Target ratio to the floor; without one the figure is informational. */
  readonly target?: number;
  readonly sizes: readonly Size[];
  readonly connections: number;
  /** Returns the access token of the caller; the administrator client by default. */
  token?(subject: ServerUnderTest): Promise<string>;
  /** A request whose response the floor returns. */
  sample(subject: ServerUnderTest): RequestParts;
  readonly sampleBody?: string;
  load(subject: ServerUnderTest, groups: number): Load;
}

const loginParts: RequestParts = {
  method: 'POST',
  path: '/client-identities/login',
  authorization: basic(client.id, client.secret),
};

/** The same login by the token endpoint of OAuth. */
const tokenParts: RequestParts = { ...loginParts, path: '/client-identities/connect/token' };
const tokenBody = JSON.stringify({ grant_type: 'client_credentials' });

function groupParts({ token }: ServerUnderTest, number: number): RequestParts {
  return { method: 'GET', path: `/groups/${groupIdOf(number)}`, authorization: `Bearer ${token}` };
}

function createParts({ token }: ServerUnderTest): RequestParts {
  return { method: 'POST', path: '/groups', authorization: `Bearer ${token}` };
}

/** Makes group names unique within a run, over all loads. */
let created = 0;

/** Returns the JSON of a new group. */
function newGroup(roles: readonly string[] = ['DEPLOY', 'ROLLBACK']): string {
  created += 1;
  return JSON.stringify({ groupName: `load-${String(created).padStart(7, '0')}`, roles });
}

/** A load that creates groups. */
export function createLoad(subject: ServerUnderTest, roles?: readonly string[]): Load {
  const parts = createParts(subject);
  return { status: 201, next: () => withJson(parts, newGroup(roles)) };
}

/** A load that reads groups with a large stride, so that it covers all of a large store. */
export function getLoad(subject: ServerUnderTest, groups: number): Load {
  const stride = 7919;
  let number = 0;
  return {
    status: 200,
    next: () => {
      number = (number + stride) % groups;
      return bare(groupParts(subject, number));
    },
  };
}

function pageParts({ token }: ServerUnderTest): RequestParts {
  return { method: 'GET', path: '/groups?limit=100', authorization: `Bearer ${token}` };
}

/** A load that logs in the users of a set in turn. */
function userLoginLoad(userSet: UserSet): Load {
  let number = 0;
  return {
    status: 201,
    next: () => {
      number = (number + 1) % userSetSize;
      return bare(userLoginParts(userIdOf(userSet, number)));
    },
  };
}

const renewParts: RequestParts = {
  method: 'POST',
  path: `/user-identities/renew-token?clientId=${appClientId}`,
  authorization: '',
};

/** A load that renews sessions: each connection logs in once and then uses the token of the previous response. */
function refreshLoad(): Load {
  let number = 0;
  return {
    status: 201,
    next: (previousBody) => {
      const [, refreshToken] = /"refreshToken":"([^"]+)"/.exec(previousBody) ?? [];
      if (refreshToken !== undefined) return withJson(renewParts, JSON.stringify({ refreshToken }));
      number = (number + 1) % userSetSize;
      return bare(userLoginParts(userIdOf('quick', number), true));
    },
  };
}

function rolesParts({ token }: ServerUnderTest, chain: number): RequestParts {
  const path = `/user-accesses/user-accounts/${userIdOf('chained', chain)}/roles`;
  return { method: 'GET', path, authorization: `Bearer ${token}` };
}

/** A load that reads the roles of users at the heads of all chains. */
function rolesLoad(subject: ServerUnderTest, groups: number): Load {
  const chains = groups / chainLength;
  let chain = 0;
  return {
    status: 200,
    next: () => {
      chain = (chain + 1) % chains;
      return bare(rolesParts(subject, chain));
    },
  };
}

export const requestKinds: readonly RequestKind[] = [
  {
    name: 'login',
    status: 200,
    target: 0.12,
    sizes: ['small'],
    connections: 32,
    sample: () => loginParts,
    load: () => ({ status: 200, next: () => bare(loginParts) }),
  },
  {
    name: 'token',
    status: 200,
    sizes: ['small'],
    connections: 32,
    sample: () => tokenParts,
    sampleBody: tokenBody,
    load: () => ({ status: 200, next: () => withJson(tokenParts, tokenBody) }),
  },
  {
    name: 'get',
    status: 200,
    target: 0.3,
    sizes: ['small', 'large'],
    connections: 32,
    sample: (subject) => groupParts(subject, 1),
    load: getLoad,
  },
  {
    name: 'page',
    status: 206,
    target: 0.3,
    sizes: ['small'],
    connections: 16,
    sample: pageParts,
    load: (subject) => ({ status: 206, next: () => bare(pageParts(subject)) }),
  },
  {
    name: 'post',
    status: 201,
    target: 0.22,
    sizes: ['small', 'large'],
    connections: 128,
    sample: createParts,
    sampleBody: newGroup(),
    load: (subject) => createLoad(subject),
  },
  {
    name: 'post-32',
    status: 201,
    target: 0.15,
    sizes: ['small'],
    connections: 32,
    sample: createParts,
    sampleBody: newGroup(),
    load: (subject) => createLoad(subject),
  },
  {
    name: 'quick-login',
    status: 201,
    sizes: ['people'],
    connections: 32,
    sample: () => userLoginParts(userIdOf('quick', 0)),
    load: () => userLoginLoad('quick'),
  },
  {
    name: 'user-login',
    status: 201,
    sizes: ['people'],
    // More than the hash concurrency, so that the queue is never empty.
    connections: 8,
    sample: () => userLoginParts(userIdOf('users', 0)),
    load: () => userLoginLoad('users'),
  },
  {
    name: 'refresh',
    status: 201,
    target: 0.05,
    sizes: ['people'],
    connections: 128,
    sample: () => userLoginParts(userIdOf('quick', 0), true),
    load: refreshLoad,
  },
  {
    name: 'roles',
    status: 200,
    sizes: ['people'],
    connections: 32,
    sample: (subject) => rolesParts(subject, 0),
    load: rolesLoad,
  },
  {
    name: 'member-get',
    status: 200,
    sizes: ['people'],
    connections: 32,
    token: ({ server }) => loginUser(server.port, userIdOf('chained', 0)),
    sample: (subject) => groupParts(subject, 1),
    load: getLoad,
  },
];
