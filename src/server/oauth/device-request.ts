/** A login for a device without a browser (RFC 8628), as the pages of logins read it. */
import { apiError } from '../../contract/errors.ts';
import { deviceGrantType } from '../../contract/grant-types.ts';
import { recordClient } from '../auth/client-authentication.ts';
import {
  findPendingDevice,
  flowOfDevice,
  formatUserCode,
  normalizeUserCode,
  type PendingDevice,
} from '../auth/codes/device-codes.ts';
import { isOwnerActive } from '../directory/clients.ts';
import { explainLoginRefusal, takesPartInLogins } from '../directory/login-approval.ts';
import type { OperationContext } from '../request-context.ts';
import {
  type AuthorizationParameters,
  type AuthorizationRequest,
  fromQuery,
  type LoginFor,
  readAuthorizationRequest,
} from './authorization-request.ts';

export interface DeviceRequest extends LoginFor {
  readonly device: PendingDevice & { readonly userCode: string };
}

/** What users log in for. */
export type LoginRequest = AuthorizationRequest | DeviceRequest;

/** The device that shows this code. @throws IamError DEVICE_CODE_INVALID, CODE_FAILURES. */
export async function readDeviceRequest(context: OperationContext, typed: string): Promise<DeviceRequest> {
  const { store } = context;
  const code = normalizeUserCode(typed);
  const pending = await findPendingDevice(context, code);
  const client = await store.clients.get(pending.clientId);
  if (!client || !(await isOwnerActive(store, client))) throw apiError('DEVICE_CODE_INVALID');
  if (!takesPartInLogins(client, deviceGrantType))
    throw apiError('DEVICE_CODE_INVALID').withReason({ text: explainLoginRefusal(client, deviceGrantType) });
  context.recordFlow(flowOfDevice(pending.deviceCodeHash));
  recordClient(context, { client, authMethod: 'client-id' });
  const { scope, openidScopes, resources } = pending;
  const userCode = formatUserCode(code);
  return {
    ...{ client, scope, openidScopes, resources, prompts: new Set(), levels: [] },
    query: new URLSearchParams({ user_code: userCode }).toString(),
    device: { ...pending, userCode },
  };
}

/** The login whose request was stored. */
export function readStoredRequest(context: OperationContext, query: string): Promise<LoginRequest> {
  const parameters = fromQuery(query);
  return readLoginRequest(context, {
    ...parameters,
    user_code: new URLSearchParams(query).get('user_code') ?? undefined,
  });
}

/** The login that a page belongs to, by the query of its forms. */
export function readLoginRequest(
  context: OperationContext,
  { user_code: userCode, ...given }: AuthorizationParameters & { readonly user_code?: string | undefined },
): Promise<LoginRequest> {
  return userCode === undefined ? readAuthorizationRequest(context, given) : readDeviceRequest(context, userCode);
}
