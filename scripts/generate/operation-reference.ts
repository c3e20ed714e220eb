/** Generates what help shows about operations besides the manifest: error codes by status, and an example request. */
import type { OperationExample, OperationReference } from '../../src/contract/manifest-types.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { listOperationErrors } from '../../src/contract/operation-errors.ts';
import type { Json } from '../../src/server/openapi/json.ts';

type AnyOperation = Operation<never>;

/** The parts of an operation in the API document that contain its examples. */
interface DocumentedOperation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

/** Renders src/contract/operation-reference.json. Examples are those of the API document. */
export function operationReferenceSource(
  operations: Readonly<Record<string, AnyOperation>>,
  { paths }: { readonly paths?: unknown },
): string {
  const documented = paths as Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  const entries = Object.values(operations).map((operation): [string, OperationReference] => {
    const { id, path, method } = operation;
    const found = documented[path]?.[method.toLowerCase()];
    if (!found) throw new Error(`The API document does not contain ${id}.`);
    return [id, { errors: groupErrors(operation), example: buildExample(operation, found) }];
  });
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 1)}\n`;
}

/** Error codes by status. */
function groupErrors(operation: AnyOperation): OperationReference['errors'] {
  const codes = [...listOperationErrors(operation)];
  const statuses = [...new Set(codes.map(([, status]) => status))];
  return Object.fromEntries(
    statuses.map((status) => [status, codes.filter(([, at]) => at === status).map(([code]) => code)]),
  );
}

/** The required parameters and headers, and the body. */
function buildExample(
  { request }: AnyOperation,
  { parameters = [], requestBody }: DocumentedOperation,
): OperationExample {
  const required = (location: string, declared: object | undefined) =>
    parameters.filter((one) => one.in === location && one.required === true && Object.hasOwn(declared ?? {}, one.name));
  const assign = (found: typeof parameters) =>
    Object.fromEntries(found.map(({ name, example }) => [name, String(example)]));
  const params = [...required('path', request.params), ...required('query', request.query)];
  const [content] = Object.values(requestBody?.content ?? {});
  return {
    params: assign(params),
    headers: assign(required('header', request.headers)),
    ...(content?.example === undefined || request.bodyIgnored ? {} : { body: content.example as Json }),
  };
}
