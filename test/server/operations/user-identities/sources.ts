/** Requests from several addresses, as if a proxy on this machine forwarded them. */
import { isKnownSource } from '../../../../src/server/sessions/known-sources.ts';
import { appClientId, type TestServer, type TestServerOptions } from '../../../harness.ts';
import { rowOf } from './callers.ts';
import { type ApiResponse, alice, basic, password, postJson } from './login-fixtures.ts';

/** The options with which a server trusts `forwardedFrom`. */
const proxyOptions = { flags: { 'trusted-proxies': '127.0.0.0/8' } } as const;

export function withProxy(options: TestServerOptions = {}): TestServerOptions {
  return { ...options, flags: { ...proxyOptions.flags, ...options.flags } };
}

export function forwardedFrom(address: string): { 'x-forwarded-for': string } {
  return { 'x-forwarded-for': address };
}

export interface LoginFrom {
  readonly name?: string;
  readonly secret?: string;
  readonly deviceTokenId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Logs in through the application client from this address. */
export function logInFrom(server: TestServer, address: string, login: LoginFrom = {}): Promise<ApiResponse> {
  const { name = alice.userName, secret = password, deviceTokenId, headers = {} } = login;
  return postJson(
    server,
    `/user-identities/login?clientId=${appClientId}`,
    deviceTokenId === undefined ? {} : { deviceTokenId },
    { ...forwardedFrom(address), authorization: basic(name, secret), ...headers },
  );
}

/** Returns which of these addresses or keys are known sources of the user. */
export async function listKnownSources(
  server: TestServer,
  keys: readonly string[],
  userId: string = alice.userId,
): Promise<string[]> {
  const user = await rowOf(server, userId);
  return keys.filter((key) => isKnownSource(user, key, server.appContext));
}

export interface DeviceRequest {
  readonly accessToken: string;
  readonly address: string;
  readonly deviceId?: string;
}

export async function associate(
  server: TestServer,
  { accessToken, address, deviceId = 'phone' }: DeviceRequest,
): Promise<string> {
  const path = '/user-identities/me/associate-user-device';
  const headers = { ...forwardedFrom(address), authorization: `Bearer ${accessToken}` };
  const { json } = await postJson(server, path, { deviceId }, headers);
  return (json as { deviceTokenId: string }).deviceTokenId;
}

export async function tokenFrom(server: TestServer, address: string): Promise<string> {
  return ((await logInFrom(server, address)).json as { accessToken: string }).accessToken;
}
