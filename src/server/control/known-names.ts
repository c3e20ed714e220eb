/** Fields that contain one of a long list of names. */
import * as z from 'zod';
import { findNearest } from '../../lib/nearest-name.ts';

/** A schema for one of these names, whose error suggests the nearest one: all of them would be too long. */
export function knownName<Name extends string>(names: readonly Name[], what: string) {
  const suggest = (input: unknown) => {
    const near = typeof input === 'string' ? findNearest(input, names) : undefined;
    return near === undefined ? '' : `; did you mean ${near}?`;
  };
  return z.enum(names, { error: ({ input }) => `must be ${what}${suggest(input)}` });
}
