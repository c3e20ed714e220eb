/** Role names of other services, made names of this one: upper-case letters, digits, _ and -. */
import { isAdministrativeRole, isReservedRole, knownRoles } from '../../../contract/roles.ts';
import type { ConvertedSeed } from './converted-seed.ts';

/** Those that operations of this service require: a role of the same name was granted for something else. */
const serviceRoles: ReadonlySet<string> = new Set(knownRoles);
const isServiceRole = (name: string) => serviceRoles.has(name) || isReservedRole(name) || isAdministrativeRole(name);

/** Converts role names, and reports each change once. */
export class RoleNames {
  readonly #seed: ConvertedSeed;
  readonly #known = new Map<string, string | undefined>();
  readonly #taken = new Map<string, string>();

  constructor(seed: ConvertedSeed) {
    this.#seed = seed;
  }

  /** @returns undefined for a name that cannot be converted, or whose result is that of another role */
  convert(name: string): string | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const converted = this.#convertNew(name);
    this.#known.set(name, converted);
    return converted;
  }

  #convertNew(name: string): string | undefined {
    const converted = name.toUpperCase().replace(/[^A-Z0-9_-]+/g, '_');
    const other = this.#taken.get(converted);
    if (!/^(?!ROLE_)[A-Z]/.test(converted) || converted.length > 100)
      this.#seed.leaveOut('role', name, 'the name has no form with upper-case letters, digits, _ and -');
    else if (isServiceRole(converted))
      this.#seed.leaveOut(
        'role',
        name,
        `${converted} is a role of this service; rename the role in the file to keep it`,
      );
    else if (other !== undefined) this.#seed.leaveOut('role', name, `${converted} is the role ${other} already`);
    else {
      this.#taken.set(converted, name);
      if (converted !== name) this.#seed.change('role', name, `is ${converted}`);
      return converted;
    }
    return undefined;
  }
}
