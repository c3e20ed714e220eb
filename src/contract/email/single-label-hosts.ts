/** Finds e-mail addresses and domains with a single label, such as `localhost`: only servers with test features accept them. */
import * as z from 'zod';
import { formatPath, IamError } from '../errors.ts';
import { Email, EmailDomain } from '../schemas/contact.ts';
import { unwrapSchema } from '../schemas/null-members.ts';
import { hasSingleLabelHost, isSingleLabel } from './email-address.ts';

type Path = readonly PropertyKey[];

/** Returns the paths of such hosts in a value that the schema accepts. */
export type HostFinder = (value: unknown) => readonly Path[];

export const singleLabelMessage =
  'must have a domain with at least two labels: only servers with test features accept single-label hosts';

const maxErrors = 100;

/** @returns undefined if no value of the schema has an address. The assertion throws IamError FIELD_VALUE. */
export function createHostAssertion(schema: z.ZodType): ((value: unknown) => void) | undefined {
  const find = createHostFinder(schema);
  return find && ((value) => assertNone(find(value)));
}

function assertNone(paths: readonly Path[]): void {
  const [first, ...others] = paths.slice(0, maxErrors).map((path) => {
    const field = formatPath(path);
    const details = { field, setting: 'test-features' };
    return { code: 'FIELD_VALUE' as const, message: `${field} ${singleLabelMessage}.`, details };
  });
  if (first) throw new IamError([first, ...others]);
}

/** @returns undefined if no value of the schema has an address. */
export function createHostFinder(schema: z.ZodType): HostFinder | undefined {
  const inner = unwrapSchema(schema);
  if (inner === Email) return createTextFinder(hasSingleLabelHost);
  if (inner === EmailDomain) return createTextFinder(isSingleLabel);
  if (inner instanceof z.ZodArray) return createListFinder(inner.element as z.ZodType);
  if (inner instanceof z.ZodDiscriminatedUnion) return createUnionFinder(inner);
  return inner instanceof z.ZodObject ? createObjectFinder(inner) : undefined;
}

function createTextFinder(isFound: (text: string) => boolean): HostFinder {
  return (value) => (typeof value === 'string' && isFound(value) ? [[]] : []);
}

function createListFinder(element: z.ZodType): HostFinder | undefined {
  const find = createHostFinder(element);
  return find && ((value) => (Array.isArray(value) ? value.flatMap((item, at) => withPrefix(at, find(item))) : []));
}

function createObjectFinder({ shape }: z.ZodObject): HostFinder | undefined {
  const finders = Object.entries(shape as Readonly<Record<string, z.ZodType>>).flatMap(([name, field]) => {
    const find = createHostFinder(field);
    return find ? [[name, find] as const] : [];
  });
  if (finders.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return [];
    const fields = value as Readonly<Record<string, unknown>>;
    return finders.flatMap(([name, find]) => withPrefix(name, find(fields[name])));
  };
}

/** Fields of the same name have the same schema in all options. */
function createUnionFinder({ options }: z.ZodDiscriminatedUnion): HostFinder | undefined {
  const shapes = options.flatMap((option) => (option instanceof z.ZodObject ? [option.shape] : []));
  return createObjectFinder(z.object(Object.assign({}, ...shapes)));
}

function withPrefix(key: PropertyKey, paths: readonly Path[]): Path[] {
  return paths.map((path) => [key, ...path]);
}
