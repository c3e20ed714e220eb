/** Generates the manifest: the registry, the error table and the settings as plain data. */
import * as z from 'zod';
import { errorTable } from '../../src/contract/error-codes.ts';
import type {
  JsonSchema,
  Manifest,
  ManifestField,
  ManifestOperation,
  ManifestRoute,
  ManifestSetting,
} from '../../src/contract/manifest-types.ts';
import type { Operation, ResponseDeclaration } from '../../src/contract/operation.ts';
import { controlPrefix, servicePrefix } from '../../src/contract/prefix.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { type Setting, settingsTable } from '../../src/server/config/settings.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';

type AnyOperation = Operation<never>;

/** The JSON Schema of a part of an operation, with shared schemas inlined. */
function plainSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const {
    $schema: _dialect,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, { io, reused: 'inline', override: withoutExamples }) as Record<string, unknown>;
  return inline(rest, ($defs ?? {}) as Record<string, unknown>) as JsonSchema;
}

/** Removes the examples, which only the API documents use. */
function withoutExamples({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.examples;
}

function inline(value: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(item, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const referred = typeof $ref === 'string' ? definitions[$ref.split('/').at(-1) ?? ''] : {};
  const merged = { ...(referred as object), ...rest };
  const entries = Object.entries(merged).filter(([key, item]) => !(key === 'id' && typeof item === 'string'));
  return Object.fromEntries(entries.map(([key, item]) => [key, inline(item, definitions)]));
}

function fields(shape: Readonly<Record<string, z.ZodType>> | undefined): ManifestField[] {
  return Object.entries(shape ?? {}).map(([name, schema]) => ({
    name,
    required: !schema.safeParse(undefined).success,
    schema: plainSchema(schema, 'input'),
  }));
}

function effectOf({ method, destructive }: AnyOperation): ManifestOperation['effect'] {
  if (method === 'GET') return 'read';
  return method === 'DELETE' || destructive === true ? 'destructive' : 'write';
}

function responseOf({ response }: AnyOperation): ManifestOperation['response'] {
  if ('page' in response)
    return { status: 200, page: true, secret: false, entity: false, schema: plainSchema(response.page, 'output') };
  if (!('body' in response)) return emptyResponse(response);
  const { status, secret = false, entity = false, body } = response;
  return { status, page: false, secret, entity, schema: plainSchema(body, 'output') };
}

function emptyResponse({
  status,
  header,
}: Extract<ResponseDeclaration, { status: 204 }>): ManifestOperation['response'] {
  const plain = { status, page: false, secret: header !== undefined, entity: false };
  return header ? { ...plain, header: { name: header.name, field: header.field } } : plain;
}

/** Converts an operation to plain data. */
function manifestOperation(operation: AnyOperation): ManifestOperation {
  const {
    id,
    title,
    description,
    method,
    path,
    auth,
    statuses,
    softErrors,
    command,
    cliExamples: examples,
    request,
  } = operation;
  return {
    id,
    title,
    description,
    method,
    path,
    auth,
    roles: formatRoles(operation.roles),
    statuses,
    softErrors,
    effect: effectOf(operation),
    idempotent: method !== 'POST' && method !== 'PATCH',
    ...(operation.creates === undefined ? {} : { creates: operation.creates }),
    ...(command === undefined ? {} : { command }),
    examples,
    params: fields(request.params),
    query: fields(request.query),
    ...(request.headers ? { headers: fields(request.headers) } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(request.body ? { body: plainSchema(request.body, 'input') } : {}),
    response: responseOf(operation),
  };
}

/** The request of a control-plane route: enough to preview and trace it without secrets. */
function manifestRoute({ method, path, request }: Pick<AnyOperation, 'method' | 'path' | 'request'>): ManifestRoute {
  return {
    method,
    path,
    query: fields(request.query),
    ...(request.body ? { body: plainSchema(request.body, 'input') } : {}),
  };
}

function manifestSetting(setting: Setting): ManifestSetting {
  const { name, environment, kind, description, flag } = setting;
  const values = setting.kind === 'text' ? setting.values : undefined;
  const fallback = setting.kind === 'list' || setting.default === undefined ? undefined : String(setting.default);
  return {
    name,
    environment,
    kind,
    description,
    flag,
    ...(values ? { values: [...values] } : {}),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** Builds the manifest for these operations. */
export function buildManifest(operations: Readonly<Record<string, AnyOperation>>, version: string): Manifest {
  return {
    version,
    prefix: servicePrefix,
    operations: Object.values(operations).map(manifestOperation),
    controlPrefix,
    controlRoutes: controlRoutes.map(manifestRoute),
    errors: Object.entries(errorTable).map(([code, entry]) => ({ code, ...entry })),
    settings: Object.values(settingsTable).map(manifestSetting),
  };
}

/** Renders src/contract/version.ts, separate from the manifest for modules that need only the version. */
export function versionSource(version: string): string {
  return [
    '// GENERATED by `npm run generate` from package.json. Do not edit.',
    '/** The version of this package. */',
    `export const packageVersion = '${version}';`,
    '',
  ].join('\n');
}

/** Renders src/contract/manifest.json. */
export function manifestSource(manifest: Manifest): string {
  return `${JSON.stringify(manifest, undefined, 1)}\n`;
}
