/** Whether a user has a role, and over which groups. */
import type { ControlData } from '../../../api/clients.ts';
import type { ApiRequest } from '../../../api/requests.ts';
import { useRead } from '../../../api/use-read.ts';
import { Equivalents, quotePositional } from '../../../components/equivalents.tsx';

export type RolePathAnswer = ControlData<'/users/{id}/roles/{role}/path'>;

function readRolePath(id: string, role: string): ApiRequest<RolePathAnswer> {
  return ({ control }, signal) =>
    control.GET('/users/{id}/roles/{role}/path', { params: { path: { id, role } }, signal });
}

export function useRolePath(userId: string, role: string) {
  return useRead(['users', 'path', userId, role], readRolePath(userId, role));
}

export function RolePathEquivalents({ userId, role }: { readonly userId: string; readonly role: string }) {
  return <Equivalents command={`can ${quotePositional(userId, role)}`} call={readRolePath(userId, role)} />;
}
