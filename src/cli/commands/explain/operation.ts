/** Explains operations: how they are called, and what they return. */
import type { Manifest, ManifestOperation } from '../../../contract/manifest-types.ts';
import { operationReference } from '../../../contract/operation-reference.ts';
import { singleQuote } from '../../../lib/shell-variables.ts';
import { formatCommandLine } from '../../output/command-line.ts';
import { commandOfOperation } from '../../request/operation-names.ts';
import { type FieldExplanation, formatFieldText, listRequestFields, listResponseFields } from './fields.ts';
import { formatItems, formatParagraph, formatSection } from './text.ts';

export interface OperationExplanation {
  readonly kind: 'operation';
  readonly operation: string;
  /** The command that calls it; absent if only `iam call` does. */
  readonly command?: string;
  readonly title: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  readonly effect: ManifestOperation['effect'];
  readonly idempotent: boolean;
  readonly deprecated?: boolean;
  readonly roles: string;
  /** Parameters of path and query, headers and body fields. */
  readonly fields: readonly FieldExplanation[];
  readonly statuses: readonly StatusExplanation[];
  readonly response: { readonly status: number; readonly list: boolean; readonly fields: readonly FieldExplanation[] };
  /** Command lines; one that names body.json needs a file with the example body. */
  readonly examples: readonly string[];
  readonly exampleBody?: unknown;
}

interface StatusExplanation {
  readonly status: number;
  /** Empty for a success. */
  readonly errors: readonly string[];
}

/** The file of example bodies in examples. */
const bodyFile = 'body.json';

/** Explains an operation as data. */
export function explainOperation(manifest: Manifest, operation: ManifestOperation): OperationExplanation {
  const { id, title, description, method, path, effect, idempotent, deprecated, roles, response } = operation;
  const { example } = operationReference[id] ?? {};
  const command = commandOfOperation(operation);
  return {
    kind: 'operation',
    operation: id,
    ...(command === undefined ? {} : { command: `iam ${command}` }),
    title,
    description,
    method,
    path: manifest.prefix + path,
    effect,
    idempotent,
    ...(deprecated ? { deprecated } : {}),
    roles,
    fields: listRequestFields(operation),
    statuses: listStatuses(manifest, operation),
    response: { status: response.status, list: response.page, fields: listResponseFields(operation) },
    examples: [formatCallExample(operation), ...listCommandExamples(operation)],
    ...(example?.body === undefined ? {} : { exampleBody: example.body }),
  };
}

/** Every documented status, and those of errors that any operation can return. A soft error is an error array with 200. */
function listStatuses({ errors }: Manifest, { id, statuses }: ManifestOperation): StatusExplanation[] {
  const declared = operationReference[id]?.errors ?? {};
  const all = new Set([...statuses, ...Object.keys(declared).map(Number)]);
  return [...all]
    .sort((a, b) => a - b)
    .map((status) => ({ status, errors: declared[status] ?? listCommonErrors(errors, status) }));
}

/** The codes of a status that no operation declares: every operation can return them. */
function listCommonErrors(errors: Manifest['errors'], status: number): string[] {
  const declared = new Set(Object.values(operationReference).flatMap((one) => Object.values(one.errors).flat()));
  return errors.filter((entry) => entry.status === status && !declared.has(entry.code)).map(({ code }) => code);
}

function formatCallExample({ id }: ManifestOperation): string {
  const { params = {}, headers = {}, body } = operationReference[id]?.example ?? {};
  const assign = (option: string, values: object) =>
    Object.entries(values).map(([name, value]) => `${option} ${singleQuote(`${name}=${String(value)}`)}`);
  const file = body === undefined ? [] : [`-f ${bodyFile}`];
  return ['iam call', id, ...assign('-p', params), ...assign('--header', headers), ...file].join(' ');
}

function listCommandExamples({ command, examples }: ManifestOperation): string[] {
  return command === undefined ? [] : examples.map((example) => `iam ${command} ${example.command}`.trimEnd());
}

/** Formats an explanation as text. */
export function formatOperation(explanation: OperationExplanation, width: number): string[] {
  const { title, description, deprecated, response, statuses, fields } = explanation;
  const ofRequest = (location: FieldExplanation['in'], heading: string) =>
    formatFields(
      heading,
      fields.filter((field) => field.in === location),
      width,
    );
  const heading = `Response ${response.status}${response.list ? ' (206 if more pages follow), each entry' : ''}:`;
  return [
    ...formatParagraph(`${title}.${deprecated ? ' Deprecated.' : ''}`, width),
    '',
    ...formatParagraph(description, width),
    '',
    ...formatItems(listFacts(explanation), width, ''),
    ...ofRequest('path', 'Path parameters, as -p NAME=VALUE:'),
    ...ofRequest('query', 'Query parameters, as -p NAME=VALUE:'),
    ...ofRequest('header', 'Headers, as --header NAME=VALUE:'),
    ...ofRequest('body', 'Body fields, in a JSON or YAML file with -f FILE:'),
    ...formatFields(heading, response.fields, width),
    ...formatSection('Statuses and error codes:', statuses.map(formatStatus), width),
    ...formatExamples(explanation, width),
  ];
}

function listFacts({ operation, command, method, path, effect, idempotent, roles }: OperationExplanation) {
  const repeated = effect === 'read' ? '' : idempotent ? ', idempotent' : ', not idempotent';
  return [
    ['Operation', operation],
    ...(command === undefined ? [] : [['Command', command] as const]),
    ['Request', `${method} ${path}`],
    ['Effect', `${effect}${repeated}`],
    ['Needs', roles],
  ] as const;
}

function formatFields(heading: string, fields: readonly FieldExplanation[], width: number): string[] {
  const rows = fields.map((field) => [field.name, formatFieldText(field)] as const);
  return formatSection(heading, rows, width);
}

function formatStatus({ status, errors }: StatusExplanation): readonly [string, string] {
  return [String(status), [...(status < 300 ? ['success'] : []), ...errors].join(', ')];
}

function formatExamples({ examples, exampleBody }: OperationExplanation, width: number): string[] {
  const lines = ['', 'Examples:', ...examples.flatMap((example) => formatCommandLine(example, width))];
  if (exampleBody === undefined) return lines;
  const body = JSON.stringify(exampleBody, undefined, 2).split('\n');
  return [...lines, '', `Example of ${bodyFile}:`, ...body.map((line) => `  ${line}`)];
}
