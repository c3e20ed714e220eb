/** Objects that inherit from others. */

/**
 * Returns an object with the given fields that inherits all others from `base`. A spread would copy them: 4 to 80 µs for
 * the app context on Node 20, whereas this takes 0.5. A spread of the result has the given fields only.
 */
export function derive<Base extends object, Fields extends object>(
  base: Base,
  fields: Fields,
): Omit<Base, keyof Fields> & Fields {
  return Object.assign(Object.create(base), fields);
}
