/** The roles and scopes of the console's caller, from the server: they may have changed since its token was issued. */
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { ControlClient } from './clients.ts';
import { useConsole } from './console-context.ts';
import type { CallerRoles } from './credentials.ts';
import { RequestError, unwrap } from './errors.ts';

/** Of queries about the caller. Secrets are in no key: a token only in the memory of the credentials. */
export const callerQueryKey = ['caller'];
export const loginCallerQueryKey = (subject: string) => [...callerQueryKey, 'login', subject];

/** Roles rarely change; a rejected request reads them again at once. */
const staleTime = 60_000;

/** Returns what a token allows now. @throws RequestError if the server rejects it, or its caller may not read. */
export async function readCallerRoles(control: ControlClient, token: string): Promise<CallerRoles> {
  return assertAccepted(await inspectCaller(control, token));
}

/** Undefined for a token that the server rejects: that says nothing about the roles of its caller. */
async function inspectCaller(control: ControlClient, token: string): Promise<CallerRoles | undefined> {
  const headers = { Authorization: `Bearer ${token}` };
  const { roles, claims } = await unwrap(control.POST('/tokens/inspect', { body: { token }, headers }));
  return roles && { roles, scope: readScope(claims?.scope) };
}

function assertAccepted<Caller>(caller: Caller | undefined): Caller {
  if (caller !== undefined) return caller;
  throw new RequestError(401, [{ code: 'TOKEN_INVALID', message: 'The server rejects the token of the console.' }]);
}

function readScope(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim.map(String) : [];
}

export function useLogin() {
  const { credentials } = useConsole();
  return useSyncExternalStore(credentials.subscribe, credentials.get);
}

/** Who logged in; undefined until the server responds, and on a server that requires no login. */
export function useLoginCaller(): CallerRoles | undefined {
  const { control, credentials } = useConsole();
  const login = useLogin();
  const { data } = useQuery({
    queryKey: loginCallerQueryKey(login?.subject ?? ''),
    // Not the token of the last render, which a new login replaces.
    queryFn: () => readCallerRoles(control, credentials.get()?.accessToken ?? ''),
    enabled: login !== undefined,
    staleTime,
  });
  return data;
}

/**
 * The client for operations of the interface on a server that requires no login; null if the server has none.
 * @returns undefined until it is known
 */
export function useServiceCaller({ enabled }: { readonly enabled: boolean }): CallerRoles | null | undefined {
  const { control, serviceTokens } = useConsole();
  const { data } = useQuery({
    queryKey: [...callerQueryKey, 'service'],
    queryFn: async () =>
      assertAccepted(
        await serviceTokens.send(
          async (token) => (token === undefined ? null : inspectCaller(control, token)),
          (caller) => caller === undefined,
        ),
      ),
    enabled,
    staleTime,
  });
  return data;
}
