/** Compares the responses of the deployment and of the reference to one request. */
import type { JsonSchema, ManifestOperation } from '../../contract/manifest-types.ts';
import type { ConformanceCase } from './case.ts';
import type { Observation } from './observation.ts';
import { listSchemaProblems } from './schema-check.ts';

/** What differs: the status, the error codes, a field of the body or a header. */
type Aspect = 'status' | 'code' | 'field' | 'header';

export interface ResponseDifference {
  readonly aspect: Aspect;
  /** The path of the field or the name of the header. */
  readonly name?: string;
  readonly expected: string;
  readonly seen: string;
}

export interface Comparison {
  readonly reference: Observation;
  readonly seen: Observation;
  readonly body: unknown;
}

/** Returns the differences; empty if the responses are the same. */
export function compareResponses(
  { existing = false, request }: ConformanceCase,
  operation: ManifestOperation,
  { reference, seen, body }: Comparison,
): ResponseDifference[] {
  const limit = Number(request.query?.find(([name]) => name === 'limit')?.[1] ?? Number.NaN);
  // Whether more entries follow depends on the data of the deployment.
  const isOtherPage = existing && operation.response.page && [200, 206].includes(reference.status);
  const statuses = isOtherPage ? [200, 206] : [reference.status];
  if (!statuses.includes(seen.status)) return compareStatuses(reference, seen);
  if (reference.codes) return [...compareErrors(reference, seen), ...compareHeaders(reference, seen)];
  const expected = isOtherPage
    ? { ...reference, headers: { ...reference.headers, link: seen.status === 206 ? 'rel="next"' : undefined } }
    : reference;
  return [
    ...(existing ? compareWithSchema(operation, body, limit) : compareFields(reference.fields, seen.fields)),
    ...compareHeaders(expected, seen),
  ];
}

/** With another status, other fields and headers follow from it, but not the codes of two errors. */
function compareStatuses(reference: Observation, seen: Observation): ResponseDifference[] {
  const statuses: ResponseDifference = {
    aspect: 'status',
    expected: String(reference.status),
    seen: String(seen.status),
  };
  return reference.codes && seen.codes ? [statuses, ...compareErrors(reference, seen)] : [statuses];
}

function compareErrors(reference: Observation, seen: Observation): ResponseDifference[] {
  const shape = 'a list of errors with code and message';
  if (!seen.codes) return [{ aspect: 'field', name: 'body', expected: shape, seen: describeBody(seen) }];
  const [expected, found] = [reference.codes ?? [], seen.codes].map((codes) => codes.join(', '));
  return expected === found ? [] : [{ aspect: 'code', expected: expected ?? '', seen: found ?? '' }];
}

/** The fields of the top level, without values. */
function describeBody({ fields }: Observation): string {
  if (fields.size === 0) return 'no body';
  const names = [...fields.keys()].filter((path) => path !== '' && !/[.[]/.test(path.replace(/^\[\]\.?/, '')));
  const [top = ''] = fields.get('') ?? [];
  return names.length === 0
    ? top.replace(/^".*"$/s, 'text')
    : `${top.replace(/ of \d+$/, '')} with ${names.join(', ')}`;
}

function compareFields(reference: Observation['fields'], seen: Observation['fields']): ResponseDifference[] {
  const paths = [...new Set([...reference.keys(), ...seen.keys()])];
  const differing = paths.filter((path) => formatValues(reference.get(path)) !== formatValues(seen.get(path)));
  // A field below another one that differs adds nothing.
  const isBelow = (path: string) => differing.some((other) => other !== path && isWithin(path, other, reference, seen));
  return differing
    .filter((path) => !isBelow(path))
    .map((path) => ({
      aspect: 'field',
      name: path === '' ? 'body' : path,
      expected: formatValues(reference.get(path)),
      // The value of a field that the reference does not have may be a secret.
      seen: reference.has(path) ? formatValues(seen.get(path)) : 'present',
    }));
}

/** Whether a path is within a field that only one of the two has. */
function isWithin(path: string, other: string, reference: Observation['fields'], seen: Observation['fields']): boolean {
  const isInside = other === '' || path.startsWith(`${other}.`) || path.startsWith(`${other}[]`);
  return (
    isInside &&
    (!reference.has(other) ||
      !seen.has(other) ||
      formatValues(reference.get(path)) === absent ||
      formatValues(seen.get(path)) === absent)
  );
}

const absent = 'absent';

function formatValues(values: readonly string[] | undefined): string {
  return values === undefined ? absent : values.join(' or ');
}

function compareHeaders(reference: Observation, seen: Observation): ResponseDifference[] {
  return Object.entries(reference.headers)
    .filter(([name, value]) => value !== seen.headers[name])
    .map(([name, value]) => ({
      aspect: 'header',
      name,
      expected: value ?? absent,
      seen: seen.headers[name] ?? absent,
    }));
}

/** Checks entities of the deployment against the declared response, and the size of a page. */
function compareWithSchema({ response }: ManifestOperation, body: unknown, limit: number): ResponseDifference[] {
  if (!response.schema) return [];
  const schema: JsonSchema = response.page ? { type: 'array', items: response.schema } : response.schema;
  const problems = body === undefined ? [] : listSchemaProblems(schema, body);
  const count = Array.isArray(body) ? body.length : 0;
  const tooMany: ResponseDifference[] =
    count > limit
      ? [{ aspect: 'field', name: 'body', expected: `list of at most ${limit}`, seen: `list of ${count}` }]
      : [];
  return [...tooMany, ...problems.map((problem): ResponseDifference => ({ aspect: 'field', ...problem }))];
}
