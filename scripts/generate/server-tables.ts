/** Generates src/contract/server.json: the routes of the control plane and the settings of the server, one on each line. */
import * as z from 'zod';
import { describePromise } from '../../src/cli/http/promised-response.ts';
import type {
  JsonSchema,
  ManifestField,
  ManifestRoute,
  ManifestSetting,
  PromisedResponse,
} from '../../src/contract/manifest-types.ts';
import type { Method, Operation, ResponseDeclaration } from '../../src/contract/operation.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { type Setting, settingsTable } from '../../src/server/config/settings.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';

type AnyRoute = Pick<Operation<never>, 'method' | 'path' | 'request' | 'response' | 'roles' | 'errors'>;

/** Renders the file. */
export function serverTablesSource(): string {
  const tables = {
    controlRoutes: controlRoutes.map(toRoute),
    settings: Object.values(settingsTable).map(toSetting),
  };
  const lists = Object.entries(tables).map(
    ([name, rows]) => `"${name}": [\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`,
  );
  return `{\n${lists.join(',\n')}\n}\n`;
}

/** Enough of a request to preview and trace it without secrets, what it requires of the caller, and what it returns. */
function toRoute({ method, path, roles, errors, request, response }: AnyRoute): ManifestRoute {
  return {
    method,
    path,
    roles: formatRoles(roles),
    ...(errors.includes('TEST_FEATURES_OFF') ? { test: true } : {}),
    params: toFields(request.params),
    query: toFields(request.query),
    ...(request.body ? { body: plainSchema(request.body) } : {}),
    response: toPromise(method, response),
  };
}

function toPromise(method: Method, response: ResponseDeclaration): PromisedResponse {
  if ('page' in response) return { list: true };
  if (response.status === 204) return {};
  if (response.stream) return { types: ['text/event-stream'] };
  return describePromise(method, z.toJSONSchema(response.body, { io: 'output' }) as JsonSchema, response.alternatives);
}

function toFields(shape: Readonly<Record<string, z.ZodType>> = {}): ManifestField[] {
  return Object.entries(shape).map(([name, schema]) => ({
    name,
    required: !schema.safeParse(undefined).success,
    schema: plainSchema(schema),
  }));
}

/** The JSON Schema of a part of a request, with shared schemas inlined and without examples. */
function plainSchema(schema: z.ZodType): JsonSchema {
  const {
    $schema: _dialect,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, { io: 'input', reused: 'inline', override: withoutExamples }) as Record<string, unknown>;
  return inline(rest, ($defs ?? {}) as Record<string, unknown>) as JsonSchema;
}

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

function toSetting(setting: Setting): ManifestSetting {
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
