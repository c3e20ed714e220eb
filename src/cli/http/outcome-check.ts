/** Which command shows whether a write took effect, and whether a read of the target proves that it did. */
import { entityOf } from '../../contract/entities.ts';
import type { Manifest, ManifestOperation, ManifestRoute } from '../../contract/manifest-types.ts';
import { singleQuote } from '../../lib/shell-variables.ts';

/** The values of a request, by the names of its parameters, query parameters and fields. */
export type RequestValues = Readonly<Record<string, unknown>>;

/** Operations that change something which no read of their own path shows. Others are not found by a read at all. */
const checksOfOperations: Readonly<Record<string, string>> = {
  'user-identities.lock': 'users get {userId}',
  'user-identities.unlock': 'users get {userId}',
  'user-identities.factors.admin-add': 'users factors list {id}',
  'user-identities.factors.admin-update': 'users factors get {id} {factorId}',
  'user-identities.factors.admin-remove': 'users factors get {id} {factorId}',
  'user-identities.factors.update': 'factors get {id}',
  'user-identities.factors.remove': 'factors get {id}',
  'user-identities.factors.send-token': 'factors get {id}',
  'user-identities.factors.validate-token': 'factors get {id}',
  'api-key.create': 'api-key list --client-id {clientId} --app-id {appId}',
  'api-key.update': 'api-key get {apiKeyId}',
  'api-key.remove': 'api-key get {apiKeyId}',
  'client-identities.remove': 'clients get {serviceAccountId}',
  'client-identities.migrate': 'clients list',
  'my-client-identities.remove': 'clients get {clientId}',
  'customers.create-business': 'customers get {document}',
  'customers.create-user': 'customers get {userId}',
};

/** By method and path below the prefix of the control plane. */
const checksOfRoutes: Readonly<Record<string, string>> = {
  'POST /api-keys/{id}/rotate': 'api-key get {id}',
  'PATCH /clients/{id}': 'clients get {id}',
  'POST /clients/{id}/rotate-secret': 'clients get {id}',
  'PUT /clock': 'clock show',
  'DELETE /coverage': 'coverage',
  'POST /faults': 'faults list',
  'DELETE /faults': 'faults list',
  'DELETE /inbox': 'inbox list',
  'POST /keys/rotate': 'keys list',
  'POST /sandboxes': 'sandbox list',
  'DELETE /sandboxes/{name}': 'sandbox list',
  'POST /sessions': 'sessions list --user-id {userId} --client-id {clientId}',
  'DELETE /sessions': 'sessions list --user-id {userId} --client-id {clientId}',
  'POST /seed': 'state diff seed now',
  'POST /state/import': 'state diff seed now',
  'POST /state/reset': 'state diff seed now',
  'POST /state/snapshots': 'state list',
  'DELETE /state/snapshots/{name}': 'state list',
  'POST /state/snapshots/{name}/restore': 'state diff {name} now',
  'POST /tokens': 'sessions list',
  'POST /users': 'users list --name {userName}',
  'PUT /users/{id}/password': 'users get {id}',
};

/** For requests that change no object which a command shows, such as sign-in: the request log has each that arrived. */
const requestLog = 'requests list';

/** The command of a user that shows what a request of an operation changed. */
export function checkOfOperation(manifest: Manifest, operation: ManifestOperation, values: RequestValues): string {
  return fill(checksOfOperations[operation.id] ?? findTemplate(manifest, operation, values), values);
}

/** The command that shows what a request to the control plane changed. */
export function checkOfRoute({ method, path }: ManifestRoute, values: RequestValues): string {
  return fill(checksOfRoutes[`${method} ${path}`] ?? requestLog, values);
}

function findTemplate(manifest: Manifest, operation: ManifestOperation, values: RequestValues): string {
  const read = findRead(manifest, operation);
  const isCreated = operation.creates !== undefined;
  if (read && !(isCreated && read.response.page)) return formatRead(read);
  if (isCreated) return findList(manifest, operation, values) ?? (read ? formatRead(read) : requestLog);
  return read ? formatRead(read) : requestLog;
}

function formatRead(read: ManifestOperation): string {
  return [commandOf(read), ...read.params.map(({ name }) => `{${name}}`)].join(' ');
}

/** The list of the created entity, limited to the name in the request if the list can be searched by name. */
function findList(
  manifest: Manifest,
  { creates = 'user', body }: ManifestOperation,
  values: RequestValues,
): string | undefined {
  const { list } = entityOf(creates);
  const command =
    'command' in list ? list.command : commandOf(manifest.operations.find(({ id }) => id === list.operation));
  if (command === undefined || list.filter === undefined) return command;
  const named = Object.entries(body?.properties ?? {}).find(
    ([field, schema]) =>
      schema['x-defines']?.entity === creates && schema['x-defines'].by !== 'id' && typeof values[field] === 'string',
  );
  return named ? `${command} --${list.filter} {${named[0]}}` : command;
}

function commandOf(operation: ManifestOperation | undefined): string | undefined {
  return operation?.command ?? operation?.customCommand;
}

/** The read with a command of the same path, or else of the nearest path that contains it. */
function findRead({ operations }: Manifest, { path }: Pick<ManifestOperation, 'path'>): ManifestOperation | undefined {
  const reads = operations.filter(
    (one) =>
      one.method === 'GET' && commandOf(one) !== undefined && (one.path === path || path.startsWith(`${one.path}/`)),
  );
  return reads.sort((one, other) => other.path.length - one.path.length)[0];
}

/** An option without its value in the request is left out. */
function fill(template: string, values: RequestValues): string {
  const text = template
    .replace(/ --[\w-]+ \{(\w+)\}/g, (option, name: string) => (values[name] === undefined ? '' : option))
    .replace(/\{(\w+)\}/g, (_, name: string) => singleQuote(String(values[name])));
  return `iam ${text}`;
}

/** The values in a path, by the names of its parameters. */
export function readPathValues(template: string, path: string): Readonly<Record<string, string>> {
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const [target = ''] = path.split('?');
  const parts = target.split('/').slice(-template.split('/').length + 1);
  const words = template.split('/').slice(1);
  return Object.fromEntries(
    words.flatMap((word, at) => {
      const name = names.find((one) => word === `{${one}}`);
      return name === undefined ? [] : [[name, decodePart(parts[at] ?? '')]];
    }),
  );
}

/** The text of a part of a path; the part itself if it is not encoded as one. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The read of exactly the object that an operation writes; undefined if there is none. */
export function findReadOfTarget({ operations }: Manifest, { path }: ManifestOperation): ManifestOperation | undefined {
  return operations.find((one) => one.method === 'GET' && one.path === path);
}

/** Whether an entity has the values of a body that replaced it: an omitted field is empty. The order of a list does not matter. */
export function isReplacedBy(entity: unknown, body: unknown, { body: schema }: ManifestOperation): boolean {
  if (!isObject(entity) || !isObject(body)) return false;
  const names = new Set([...Object.keys(schema?.properties ?? {}), ...Object.keys(body)]);
  return [...names].every((name) => hasValue(entity[name], body[name]));
}

function hasValue(found: unknown, sent: unknown): boolean {
  if (isEmpty(found) || isEmpty(sent)) return isEmpty(found) && isEmpty(sent);
  if (Array.isArray(sent)) {
    const rows = Array.isArray(found) ? found : [];
    return rows.length === sent.length && sent.every((one) => rows.some((row) => hasValue(row, one)));
  }
  if (!isObject(found)) return found === sent;
  // A reference is an id or a name in a request, and can be an object with both in a response.
  if (!isObject(sent)) return Object.values(found).includes(sent);
  return Object.entries(sent).every(([name, value]) => hasValue(found[name], value));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
