/** Values for requests that a conforming service refuses: derived from the declared schemas. */
import type { JsonSchema, ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import type { CaseRequest, Template } from './case.ts';

/** The form of an id, but of no entity. */
export const unknownId = 'f00dfeedf00dfeedf00dfeed';

/** A value that no identifier has. */
const invalidId = '~not~an~id~';

/** Path parameters that no entity has. */
export function unknownParams({ params }: ManifestOperation): Record<string, string> {
  return Object.fromEntries(params.map(({ name }) => [name, unknownId]));
}

/** Path parameters of which the last is malformed. */
export function invalidParams(operation: ManifestOperation): Record<string, string> {
  const last = operation.params.at(-1)?.name ?? '';
  return { ...unknownParams(operation), [last]: invalidId };
}

/** The headers that the operation requires, with values that are known to no service. */
export function requiredHeaders({ headers = [] }: ManifestOperation): Record<string, string> {
  return Object.fromEntries(headers.filter(({ required }) => required).map(({ name }) => [name, unknownId]));
}

/** Whether a body without its required fields can be sent: an optional field alone would be valid. */
export function hasRequiredFields({ body }: ManifestOperation): boolean {
  return body !== undefined && (body.type === 'array' || (body.required ?? []).length > 0);
}

/** An empty object, or a list of one. */
export function emptyBody({ type }: JsonSchema): Template {
  return type === 'array' ? [{}] : {};
}

/** The fields of a body, each with a value of another type. */
export function mistypedBody(schema: JsonSchema): Template {
  if (schema.type === 'array') return [mistypedBody(schema.items ?? {})];
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, mistyped(field)]));
}

function mistyped({ type }: JsonSchema): Template {
  return type === 'object' || type === 'array' ? 'text' : { wrong: 'type' };
}

/** Whether a list has these query parameters. */
export function hasQuery({ query }: ManifestOperation, name: ManifestField['name']): boolean {
  return query.some((field) => field.name === name);
}

/** A request of the declared form without required fields, for entities that do not exist. */
export function createBareRequest(operation: ManifestOperation): CaseRequest {
  return {
    params: unknownParams(operation),
    headers: requiredHeaders(operation),
    ...(operation.body ? { body: emptyBody(operation.body) } : {}),
  };
}
