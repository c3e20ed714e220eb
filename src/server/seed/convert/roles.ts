/** Role names of other services, made names of this one. */
import {
  isAdministrativeRole,
  isReservedRole,
  isServiceRoleLookalike,
  knownRoles,
  stripRolePrefix,
} from '../../../contract/roles.ts';
import { RoleName } from '../../../contract/schemas/role.ts';
import type { ConvertedSeed } from './converted-seed.ts';

/** `upper` is what `iam import` made of names before roles kept their case. */
export type RoleCase = 'keep' | 'upper';

/** Those that operations of this service require: a role of the same name was granted for something else. */
const serviceRoles: ReadonlySet<string> = new Set(knownRoles);
const isServiceRole = (name: string) =>
  serviceRoles.has(name) || isReservedRole(name) || isAdministrativeRole(name) || isServiceRoleLookalike(name);

/** Converts role names, and reports each change once. */
export class RoleNames {
  readonly #seed: ConvertedSeed;
  readonly #case: RoleCase;
  readonly #known = new Map<string, string | undefined>();
  readonly #taken = new Map<string, string>();
  readonly #folded = new Map<string, string>();

  constructor(seed: ConvertedSeed, roleCase: RoleCase) {
    this.#seed = seed;
    this.#case = roleCase;
  }

  /** @returns undefined for a name that cannot be converted, or whose result is that of another role */
  convert(name: string): string | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const converted = this.#convertNew(name);
    this.#known.set(name, converted);
    return converted;
  }

  #convertNew(name: string): string | undefined {
    const converted = this.#case === 'upper' ? toUpperForm(name) : toForm(name);
    const other = this.#taken.get(converted);
    if (!RoleName.safeParse(converted).success)
      this.#seed.leaveOut('role', name, 'no letter, digit or _ . : / - at the start of its name can be kept');
    else if (isServiceRole(converted)) this.#seed.leaveOut('role', name, describeServiceRole(converted));
    else if (other !== undefined) this.#seed.leaveOut('role', name, `${converted} is the role ${other} already`);
    else {
      this.#taken.set(converted, name);
      if (converted !== name) this.#seed.change('role', name, `is ${converted}`);
      this.#reportCase(converted);
      return converted;
    }
    return undefined;
  }

  /** Roles of such names were one in imports that made them upper-case. */
  #reportCase(name: string): void {
    const folded = name.toUpperCase();
    const other = this.#folded.get(folded);
    this.#folded.set(folded, name);
    if (other !== undefined) this.#seed.change('role', name, `differs from the role ${other} in case only`);
  }
}

function describeServiceRole(name: string): string {
  const what = isServiceRoleLookalike(name) ? 'differs in case only from a role' : 'is a role';
  return `${name} ${what} of this service; rename the role in the file to keep it`;
}

/** The prefix ROLE_ is part of every role in a token. `role_x`, which would be a second one, is `role-x`. */
function toForm(name: string): string {
  const bare = stripRolePrefix(name).replace(/[^A-Za-z0-9_.:/-]+/g, '_');
  return bare.replace(/^(role)_/i, '$1-');
}

function toUpperForm(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9_-]+/g, '_');
}
