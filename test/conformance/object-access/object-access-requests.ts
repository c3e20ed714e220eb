/** Builds a request that names one object in one parameter and otherwise only objects of the caller. */
import type { JsonSchema } from '../../../src/contract/manifest-types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { appClientId } from '../../harness.ts';
import type { RawRequest } from '../../server/property/raw-sender.ts';
import type { Owner } from './object-access-callers.ts';
import { getRequestShape, type ObjectParameter } from './object-parameters.ts';

type Value = string | number | boolean;

/** Values of parameters that name no object, by parameter name. */
const values: Readonly<Record<string, Value>> = {
  grantType: 'client_credentials',
  grant_type: 'client_credentials',
  newPassword: 'an unlikely pass phrase',
  password: 'a pass phrase that is not right',
  roleName: 'DEPLOY',
  document: 'a-document',
  userEmail: 'user-new@example.com',
  userName: 'user-new',
  email: 'something-new@example.com',
  regionCode: 55,
  areaCode: 11,
  phoneNumber: 987654321,
  billingType: 'PREPAID',
  contactType: 'EMAIL',
  logon: 'NEWLOGON',
  samlResponse: 'AAAA',
  deviceTokenId: 'a-device',
  refreshToken: 'a-refresh-token',
};

/** Values that a parameter needs beside it and no schema requires: by operation, and by operation and parameter. */
const companionValues: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  'user-identities.login': { userName: 'unknown', password: 'any' },
  'user-identities.login-legacy': { logon: 'UNKNOWN', password: 'any' },
  'user-identities.create': { userName: 'user-new' },
  'user-identities.retrieve deviceTokenId': { userName: 'unknown' },
  'user-identities.factors.add phoneNumber': { contactType: 'MOBILE' },
  'user-identities.factors.admin-add phoneNumber': { contactType: 'MOBILE' },
  'user-identities.factors.admin-add id': { email: 'something-new@example.com' },
  'user-identities.factors.update id': { email: 'something-new@example.com' },
  'user-identities.factors.update phoneNumber': { contactType: 'MOBILE' },
  'product-accesses.authorize productAlias': { sku: 'basic' },
  'product-accesses.authorize sku': { productAlias: 'reports' },
  'generate-token.create clientId': { clientSecret: 'not the secret of it' },
  'generate-token.create userName': { grantType: 'password', password: 'not the password' },
  'generate-token.create refreshToken': { grantType: 'refresh_token' },
  'client-identities.connect-token client_id': { client_secret: 'not the secret of it' },
  'client-identities.connect-token username': { grant_type: 'password', password: 'not the password' },
  'client-identities.connect-token refresh_token': { grant_type: 'refresh_token' },
};

export interface NamingRequest {
  readonly operation: Operation<never>;
  readonly caller: Owner;
  readonly parameter: ObjectParameter;
  /** The value of the parameter. */
  readonly value: Value;
  /** Differs for every request, so that names of new objects are unique. */
  readonly number: number;
}

/** Builds the request. */
export function buildNamingRequest(naming: NamingRequest): RawRequest {
  const { operation, caller } = naming;
  const { method, path, request } = operation;
  const filling = createFilling(naming);
  const pairs = (where: ObjectParameter['location'], declared: DeclaredShape) =>
    filling.parameters
      .filter((one) => one.location === where && filling.isSent(one, isRequired(declared, one.name)))
      .map(({ name, ...one }) => [name, String(filling.valueAt({ name, ...one }))] as const);
  const search = new URLSearchParams(
    pairs('query', request.query).map(([name, value]): [string, string] => [name, value]),
  );
  if (caller.clientId !== undefined) search.set('clientId', caller.clientId);
  const filled = pairs('path', request.params).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const { body: schema } = getRequestShape(operation);
  const type = request.form ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    method,
    path: `${servicePrefix}${filled}${search.size > 0 ? `?${search}` : ''}`,
    headers: [
      ...caller.headers,
      ...pairs('header', request.headers),
      ...(schema ? [['Content-Type', type] as const] : []),
    ],
    body: schema && serializeBody(buildBody(schema, filling), request.form),
  };
}

type DeclaredShape = Operation<never>['request']['query'];

function isRequired(declared: DeclaredShape, name: string): boolean {
  return !declared?.[name]?.safeParse(undefined).success;
}

/** Decides which parameters are sent, and with which values. */
interface Filling {
  readonly parameters: readonly ObjectParameter[];
  isSent(parameter: ObjectParameter, required: boolean): boolean;
  valueAt(parameter: ObjectParameter): Value;
}

function createFilling({ operation, caller, parameter, value, number }: NamingRequest): Filling {
  const { id, request } = operation;
  const isInBody = request.clientInBody === true && caller.headers.length === 0;
  const client = isInBody ? { [request.form ? 'client_id' : 'clientId']: appClientId } : {};
  const fixed: Readonly<Record<string, Value>> = {
    ...client,
    ...companionValues[id],
    ...companionValues[`${id} ${parameter.name}`],
  };
  const isThe = (one: ObjectParameter) =>
    one.location === parameter.location && one.path.join() === parameter.path.join();
  const isFixed = (one: ObjectParameter) => one.location === 'body' && one.name in fixed;
  return {
    parameters: getRequestShape(operation).parameters,
    isSent: (one, required) => required || isFixed(one) || isThe(one),
    valueAt(one) {
      if (isThe(one)) return value;
      const own = one.kind === undefined || one.kind === 'unknown' ? undefined : caller.own[one.kind];
      return makeUnique((isFixed(one) ? fixed[one.name] : own) ?? values[one.name] ?? 'none', number);
    },
  };
}

/** The value for a name, with a number appended if it names a new object. */
function makeUnique(value: Value, number: number): Value {
  return typeof value === 'string' ? value.replace('-new', `-new-${number}`) : value;
}

function serializeBody(body: unknown, isForm = false): string {
  return isForm ? String(new URLSearchParams(body as Record<string, string>)) : JSON.stringify(body);
}

/** Builds a body with the required fields, the companion values and the parameter itself. */
function buildBody(schema: JsonSchema, filling: Filling, at: ObjectParameter['path'] = []): unknown {
  const { properties, items, anyOf, required = [] } = schema;
  if (anyOf) return buildBody(anyOf.find((one) => one.type !== 'null') ?? {}, filling, at);
  if (items) return [buildBody(items, filling, [...at, 0])];
  if (properties)
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || hasSentBelow(filling.parameters, [...at, name], filling))
        .map(([name, inner]) => [name, buildBody(inner, filling, [...at, name])]),
    );
  const parameter = filling.parameters.find((one) => one.location === 'body' && one.path.join() === at.join());
  if (!parameter) throw new Error(`no parameter is declared at ${at.join('.')}`);
  return schema.enum && !schema.enum.includes(filling.valueAt(parameter)) ? schema.enum[0] : filling.valueAt(parameter);
}

/** Whether a sent parameter is at the path or below it. */
function hasSentBelow(
  parameters: readonly ObjectParameter[],
  at: ObjectParameter['path'],
  { isSent }: Filling,
): boolean {
  return parameters.some(
    (one) => one.location === 'body' && `${one.path.join()},`.startsWith(`${at.join()},`) && isSent(one, false),
  );
}
