/** Checks a response body against its declared schema: types, required and undeclared fields, listed values. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { isOfType, typeOf } from '../io/document-types.ts';

export interface SchemaProblem {
  readonly name: string;
  readonly expected: string;
  readonly seen: string;
}

/** Returns the problems, each path once. They contain types and listed values, never values of the deployment. */
export function listSchemaProblems(schema: JsonSchema, body: unknown): SchemaProblem[] {
  const problems = new Map<string, SchemaProblem>();
  const report = (path: string, expected: string, seen: string) => {
    const name = path === '' ? 'body' : path;
    if (!problems.has(name)) problems.set(name, { name, expected, seen });
  };
  check(schema, body, '', report);
  return [...problems.values()];
}

type Report = (path: string, expected: string, seen: string) => void;

function check(schema: JsonSchema, value: unknown, path: string, report: Report): void {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    if (!choices.some((choice) => fits(choice, value))) report(path, 'one of the declared forms', typeOf(value));
    return;
  }
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) report(path, types.join(' or '), typeOf(value));
  else if (schema.enum && !schema.enum.includes(value))
    report(path, `one of ${schema.enum.join(', ')}`, `another ${typeOf(value)}`);
  else if (Array.isArray(value)) for (const one of value) check(schema.items ?? {}, one, `${path}[]`, report);
  else if (typeof value === 'object' && value !== null) checkFields(schema, value, path, report);
}

function fits(schema: JsonSchema, value: unknown): boolean {
  let isFit = true;
  check(schema, value, '', () => {
    isFit = false;
  });
  return isFit;
}

function checkFields(schema: JsonSchema, value: object, path: string, report: Report): void {
  const { properties = {}, required = [], additionalProperties } = schema;
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const name of required) if (!Object.hasOwn(value, name)) report(at(name), 'present', 'absent');
  for (const [name, one] of Object.entries(value)) {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (declared) check(declared, one, at(name), report);
    else if (additionalProperties === false) report(at(name), 'absent', typeOf(one));
  }
}
