/** All scenarios of the suite. */
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import { type CallerAuthorities, isAllowed, parseRoles } from '../../contract/roles.ts';
import { callerHasRoles, type SuiteCaller } from './caller-authorities.ts';
import type { CaseCredentials, ConformanceCase, Scenario } from './case.ts';
import { listReadScenarios } from './reads.ts';
import { listRefusals } from './refusals.ts';
import { createBareRequest } from './samples.ts';
import { createClientScenario, ownClient } from './scenarios/clients.ts';
import { corporateGroupScenario, groupScenario } from './scenarios/groups.ts';
import { createUserScenario } from './scenarios/users.ts';

/** Returns every scenario. Refusals are scenarios of one case. */
export function listScenarios(manifest: Manifest, caller: SuiteCaller): Scenario[] {
  const refusals = manifest.operations.flatMap((operation) => [
    ...listRefusals(operation, manifest),
    ...listCallerRefusals(operation, caller),
  ]);
  return [
    ...refusals.map((one) => ({ name: `${one.operation}: ${one.name}`, cases: [one] })),
    ...listReadScenarios(),
    groupScenario,
    corporateGroupScenario,
    createUserScenario(listRoleRefusals(manifest, 'new user without a role', newUser, asNewUser)),
    createClientScenario(listRoleRefusals(manifest, 'client without a role', newClient, ownClient)),
  ];
}

/** The request of a caller that lacks the roles of the operation. */
function listCallerRefusals(operation: ManifestOperation, caller: SuiteCaller): ConformanceCase[] {
  if (caller.kind === 'none' || callerHasRoles(caller, operation.roles) !== false) return [];
  const request = createBareRequest(operation);
  const name = 'caller without the role';
  return [{ operation: operation.id, name, kind: 'refusal', request, ignoresRoles: true }];
}

const asNewUser: CaseCredentials = { kind: 'bearer', token: '{{userToken}}' };

/** The roles that the user of the suite can have at most. */
const newUser = ['CLI-AUTH-IDENTIFIED', 'CLI-1STPARTY'];
const newClient = [...newUser, 'CLI-AUTH-BASIC', 'AUTH-BASIC'];

/** A bare request to each operation whose roles these do not satisfy. */
function listRoleRefusals(
  { operations }: Manifest,
  name: string,
  roles: readonly string[],
  credentials: CaseCredentials,
): ConformanceCase[] {
  const authorities: CallerAuthorities = { roles: new Set(roles), scope: new Set() };
  return operations
    .filter((operation) => operation.auth !== 'none' && !isAllowed(parseRoles(operation.roles), authorities))
    .map((operation) => ({
      operation: operation.id,
      name,
      kind: 'write',
      request: { ...createBareRequest(operation), credentials },
    }));
}
