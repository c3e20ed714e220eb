/** The sets of roles of a client that satisfy a role expression, and those that fail by one role. */
import type { Operation } from '../../../src/contract/operation.ts';
import type { RoleExpression } from '../../../src/contract/roles.ts';
import type { TestClient } from '../../harness.ts';
import { evaluateRoles } from './matrix-outcomes.ts';

/** All of them are required; scopes have the form `scope NAME`. */
type RoleSet = readonly string[];

/** Every minimal set that satisfies the expression; negated roles are omitted. */
function listRoleSets(expression: RoleExpression): RoleSet[] {
  switch (expression.kind) {
    case 'role':
      return [[expression.name]];
    case 'scope':
      return [[`scope ${expression.name}`]];
    case 'any':
      return expression.of.flatMap(listRoleSets);
    case 'all':
      return expression.of
        .map(listRoleSets)
        .reduce((sets, more) => sets.flatMap((set) => more.map((other) => [...new Set([...set, ...other])])), [[]]);
    default:
      return [[]];
  }
}

/** Roles of every authenticated client. */
const impliedRoles = ['CLI-AUTH-IDENTIFIED', 'CLI-AUTH-BASIC'];
/** Roles that only users in a session have. */
const sessionRoles = ['USER'];

export interface ClientRoles {
  /** The set without the implied roles, as text. */
  readonly name: string;
  readonly fields: TestClient;
  readonly isAllowed: boolean;
}

function createClientRoles({ rolesText }: Operation<never>, set: RoleSet): ClientRoles {
  const party = set.includes('CLI-3RDPARTY') || !set.includes('CLI-1STPARTY') ? '3RDPARTY' : '1STPARTY';
  const scope = set.flatMap((role) => (role.startsWith('scope ') ? [role.slice('scope '.length)] : []));
  const authorities = set.filter((role) => !/^(CLI-|scope )/.test(role));
  const roles = [...impliedRoles, `CLI-${party}`, ...authorities];
  return {
    name: set.filter((role) => !impliedRoles.includes(role)).join(' and ') || 'no role',
    fields: { party, authorities, scope },
    isAllowed: evaluateRoles(rolesText, { roles, scope }),
  };
}

/** The minimal sets of an operation that a client can have, and each of them without one of its roles. */
export function listClientRoles(operation: Operation<never>): ClientRoles[] {
  const minimal = listRoleSets(operation.roles).filter((set) => !set.some((role) => sessionRoles.includes(role)));
  const reduced = minimal.flatMap((set) =>
    set.filter((role) => !impliedRoles.includes(role)).map((role) => set.filter((other) => other !== role)),
  );
  const all = [...minimal, ...reduced].map((set) => createClientRoles(operation, set));
  return [...new Map(all.map((one) => [one.name, one])).values()];
}
