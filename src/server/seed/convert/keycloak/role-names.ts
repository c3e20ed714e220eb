/** Role names of Keycloak, made names of this service. */
import {
  isAdministrativeRole,
  isReservedRole,
  isServiceRoleLookalike,
  knownRoles,
  stripRolePrefix,
} from '../../../../contract/roles.ts';
import { MAX_ROLE_LENGTH, RoleName } from '../../../../contract/schemas/role.ts';
import { isPlaceholder, placeholderReason } from '../placeholders.ts';
import type { ImportReport } from '../report.ts';
import { UniqueNames } from '../unique-names.ts';

/** `upper` is what `iam import` made of names before roles kept their case. */
export type RoleCase = 'keep' | 'upper';

export interface RoleNameOptions {
  readonly roleCase?: RoleCase | undefined;
  /** Names of roles of this service that are kept: members with such a role get that of this service. */
  readonly keepRoles?: readonly string[] | undefined;
}

/** Those that operations of this service require: a role of the same name was granted for something else. */
const serviceRoles: ReadonlySet<string> = new Set(knownRoles);
const isServiceRole = (name: string) =>
  serviceRoles.has(name) || isReservedRole(name) || isAdministrativeRole(name) || isServiceRoleLookalike(name);

/** Converts role names, and reports each change once. */
export class RoleNames {
  readonly #report: ImportReport;
  readonly #case: RoleCase;
  readonly #keep: ReadonlySet<string>;
  readonly #known = new Map<string, string | undefined>();
  readonly #unique = new UniqueNames(MAX_ROLE_LENGTH);
  readonly #folded = new Map<string, string>();

  constructor(report: ImportReport, { roleCase = 'keep', keepRoles = [] }: RoleNameOptions) {
    this.#report = report;
    this.#case = roleCase;
    this.#keep = new Set(keepRoles.map(stripRolePrefix));
  }

  /** Whether a role of this name can have it here, as far as its form is concerned. */
  canKeep(name: string): boolean {
    return this.#toForm(name) === name;
  }

  #toForm(name: string): string {
    return this.#case === 'upper' ? toUpperForm(name) : toForm(name);
  }

  /**
   * @param key of the role: two roles can have names with the same result
   * @returns undefined for a role that only the service grants
   */
  convert(key: string, name: string): string | undefined {
    if (this.#known.has(key)) return this.#known.get(key);
    const converted = this.#convertNew(name);
    this.#known.set(key, converted);
    return converted;
  }

  #convertNew(name: string): string | undefined {
    const form = this.#toForm(name);
    const isKept = this.#keep.has(form) && !isReservedRole(form) && !isServiceRoleLookalike(form);
    if (isServiceRole(form) && !isKept) return this.#reportServiceRole(name, form);
    const converted = this.#unique.allocate(form);
    if (isKept) this.#report.change('roles', name, `is the role ${form} of this service, as --keep-role says`);
    else if (isPlaceholder(name)) this.#report.changeLogin('roles', name, `is ${converted}: it ${placeholderReason}`);
    else if (converted !== name) this.#report.change('roles', name, `is ${converted}`);
    this.#reportCase(converted);
    return converted;
  }

  #reportServiceRole(name: string, form: string): undefined {
    if (form === 'USER') this.#report.leaveOut('roles', name, 'the service gives USER to every user');
    else if (isReservedRole(form)) this.#report.lose('roles', name, `only the service grants ${form}`);
    else if (isServiceRoleLookalike(form))
      this.#report.lose(
        'roles',
        name,
        `differs from ${form.toUpperCase()}, a role of this service, in case only: rename it`,
      );
    else
      this.#report.lose(
        'roles',
        name,
        `${form} is a role of this service, and allows other things here: rename it in the file, or grant it with --keep-role ${form}`,
      );
    return undefined;
  }

  /** Such roles were one in imports that made names upper-case. */
  #reportCase(name: string): void {
    const folded = name.toUpperCase();
    const other = this.#folded.get(folded);
    this.#folded.set(folded, name);
    if (other !== undefined) this.#report.change('roles', name, `differs from the role ${other} in case only`);
  }
}

/** The prefix ROLE_ is part of every role in a token. `role_x`, which would be a second one, is `role-x`. */
function toForm(name: string): string {
  const bare = stripRolePrefix(name)
    .normalize('NFC')
    .replace(/[^A-Za-z0-9_.:/-]+/g, '_');
  return toRoleName(bare.replace(/^(role)_/i, '$1-'));
}

function toUpperForm(name: string): string {
  return toRoleName(stripRolePrefix(name.toUpperCase().replace(/[^A-Z0-9_-]+/g, '_')));
}

/** Names start with an ASCII letter. */
function toRoleName(text: string): string {
  return RoleName.safeParse(text).success ? text : `r-${text}`;
}
