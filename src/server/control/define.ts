/** Declares routes of the control plane: like operations, with their own context. */
import { errorTable } from '../../contract/error-codes.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import {
  createOperationDefiner,
  type Declaration,
  type Operation,
  type OperationTypes,
  type RequestDeclaration,
  type ResponseDeclaration,
} from '../../contract/operation.ts';
import { parseRoles } from '../../contract/roles.ts';
import type { ControlContext } from '../request-context.ts';

/**
 * Roles that a route requires on a server with remote access. To change something or see a secret, a user needs a second
 * factor, and a client the authority AUTH-MFA: the signing keys are worth every role.
 */
export const capabilities = {
  /** Returns data without codes, keys or request bodies. */
  read: { auth: 'caller', roles: 'CLI-1STPARTY and (ADMIN or IAM_ADMIN_READ_ONLY)' },
  /** Returns codes, keys or bodies, or changes something. */
  maintain: {
    auth: 'caller',
    roles: 'CLI-1STPARTY and IAM_ADMIN_MAINTENANCE and AUTH-MFA',
  },
  /** Changes clients: as the operations of the interface that create and delete them, for administrators and owners. */
  clients: {
    auth: 'caller',
    roles:
      'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ((AUTH-MFA and ADMIN) or (PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN)',
  },
  /** Changes API keys: as the operations of the interface. */
  apiKeys: { auth: 'caller', roles: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN' },
  /** Needs no credentials: the body authorizes the request. */
  public: { auth: 'none', roles: 'none' },
} as const;

/** What a caller needs to read codes and values. */
export const maintainRoles = parseRoles(capabilities.maintain.roles);

export interface RouteOptions {
  readonly capability: keyof typeof capabilities;
  /** For browsers: a `page` that other sites may link to, or an `asset` (a file) of it. */
  readonly browser?: 'page' | 'asset';
  /** Changes what a server keeps in memory, or all data at once: refused while several servers share the store. */
  readonly exclusive?: true;
  /** Returns the password hashes of the store, or compares them. */
  readonly hashes?: true;
  /** Holds the whole state in memory several times: one such request at a time in the process. */
  readonly large?: true;
}

export type ControlRoute = Operation<ControlContext> & RouteOptions;

type RouteDeclaration<Path extends string, Req extends RequestDeclaration, Res extends ResponseDeclaration> = Omit<
  Declaration<Path, Req, Res, ControlContext>,
  'auth' | 'roles' | 'status'
> &
  RouteOptions;

const defineOperation = createOperationDefiner<ControlContext>();

/**
 * Declares a route. Its capability determines authentication and roles; response and errors determine the statuses. Every
 * route rejects unknown query parameters.
 */
export function defineRoute<
  const Path extends string,
  const Req extends RequestDeclaration,
  const Res extends ResponseDeclaration,
>(declaration: RouteDeclaration<Path, Req, Res>): ControlRoute & OperationTypes<Req, Res> {
  const { capability, browser, exclusive, hashes, large, response } = declaration;
  const errors = [
    ...declaration.errors,
    ...(exclusive ? (['STORE_SHARED'] as const) : []),
    ...(hashes ? (['SEED_ADMINISTRATOR_CHANGED'] as const) : []),
    ...(large ? (['TOO_MANY_REQUESTS_WAITING'] as const) : []),
  ];
  const authorized = {
    ...declaration,
    ...capabilities[capability],
    status: listStatuses(response, errors, capability),
    errors,
    request: { ...declaration.request, strictQuery: true },
  } as unknown as Declaration<Path, Req, Res, ControlContext>;
  const options = {
    capability,
    ...(browser ? { browser } : {}),
    ...(exclusive ? { exclusive } : {}),
    ...(hashes ? { hashes } : {}),
    ...(large ? { large } : {}),
  };
  return { ...defineOperation(authorized), ...options };
}

/** A wrong value is 400: only operations of the interface distinguish it from a malformed one. */
function listStatuses(
  response: ResponseDeclaration,
  errors: readonly ErrorCode[],
  capability: RouteOptions['capability'],
): number[] {
  const successes = 'page' in response ? [200, 206] : [response.status];
  const rejections = errors.filter((code) => code !== 'FIELD_VALUE').map((code) => errorTable[code].status);
  const documented = rejections.filter((status) => status !== 503);
  return [...successes, 400, ...(capability === 'public' ? [] : [401]), 403, ...documented, 500];
}
