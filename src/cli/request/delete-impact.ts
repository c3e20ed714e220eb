/** Describes what a delete will affect, for the confirmation prompt. Omits what the caller may not read. */
import { type ApiResponse, asPage } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { EntityName } from '../../contract/entities.ts';
import type { Context } from '../context.ts';
import { formatNamedId, nameKey } from '../output/name-columns.ts';
import { type ControlFilters, callControlPlane } from './control-plane.ts';
import { getOperation } from './find-operation.ts';
import { send } from './send.ts';

type Params = NonNullable<CallInput['params']>;
type Row = Readonly<Record<string, unknown>>;

/** Lookups must not delay the prompt for long. */
const timeoutMs = 3_000;
const maxRows = 1_000;
const maxNames = 5;

/** Lines for the prompt; empty if nothing else is affected or the impact is unknown. */
export async function describeDeleteImpact(
  context: Context,
  operationId: string,
  params: Params,
): Promise<readonly string[]> {
  const describe = impactDescriptions[operationId];
  return describe ? describe(new ImpactReader(context), params) : [];
}

/** By the operation that deletes. */
export const impactDescriptions: Readonly<Record<string, (reader: ImpactReader, params: Params) => Promise<string[]>>> =
  {
    'groups.remove': async (reader, { groupId = '' }) => {
      const { members, above } = await findGroupUsage(reader, groupId);
      const dependents = formatNames(above, 'group depends on it', 'groups depend on it');
      return [
        ...formatMembers(members),
        ...dependents.map((line) => `${line}; the server keeps the group while they do`),
      ];
    },
    'api-key.remove': async (reader, { apiKeyId = '' }) => {
      const key = (await reader.list('api-key.list')).find((one) => one.apiKeyId === apiKeyId);
      if (!key) return [];
      const [client] = await reader.named('client', [key.clientId]);
      return [`${key.appId} can no longer authenticate as ${client} with it`];
    },
    'client-identities.remove': async (reader, { serviceAccountId = '' }) => {
      const found = await reader.controlList('/_iam/clients', { name: String(serviceAccountId) });
      const clients = found.filter((client) => client.serviceAccountId === serviceAccountId);
      const ids = clients.map(({ clientId }) => clientId);
      const keys = await Promise.all(ids.map((clientId) => describeApiKeys(reader, String(clientId))));
      return [...formatNames(await reader.named('client', ids), 'client', 'clients'), ...keys.flat()];
    },
    'my-client-identities.remove': (reader, { clientId = '' }) => describeApiKeys(reader, String(clientId)),
    'user-identities.remove': async (reader, { id = '' }) => {
      const [roles, sessions] = await Promise.all([
        reader.rows('user-accesses.list-user-roles', { userId: id }),
        reader.controlList('/_iam/sessions', { userId: String(id) }),
      ]);
      const groups = new Set(roles.flatMap(({ groupNames }) => (groupNames as string[] | undefined) ?? []));
      return [
        ...formatNames([...groups], 'group grants it roles', 'groups grant it roles'),
        ...(sessions.length > 0 ? [`${formatCount(sessions)} ${sessions.length === 1 ? 'session' : 'sessions'}`] : []),
      ];
    },
    'corporate-groups.remove': async (reader, { corporateGroupId = '' }) => {
      const found = await reader.entity('corporate-groups.get', { corporateGroupId });
      const businesses = (found?.businesses as unknown[] | undefined) ?? [];
      return formatNames(
        await reader.named('business', businesses.map(businessIdOf)),
        'business is left without a corporate group',
        'businesses are left without a corporate group',
      );
    },
  };

/** The members of a group and the groups that depend on it. */
async function findGroupUsage(
  reader: ImpactReader,
  groupId: unknown,
): Promise<{ members: readonly Row[]; above: readonly unknown[] }> {
  const group = await reader.entity('groups.get', { groupId: String(groupId) });
  if (!group) return { members: [], above: [] };
  const [members, groups] = await Promise.all([
    reader.controlList(`/_iam/groups/${encodeURIComponent(String(group.groupId))}/members`),
    reader.list('groups.list'),
  ]);
  const above = groups.filter(({ dependencies }) => (dependencies as Row[] | undefined)?.some(isNamed(group)));
  return { members, above: above.map(({ groupName }) => groupName) };
}

/** Reads whose failures are ignored. */
class ImpactReader {
  readonly #context: Context;
  readonly #signal: AbortSignal;

  constructor(context: Context) {
    this.#context = context;
    this.#signal = AbortSignal.any([context.io.signal, AbortSignal.timeout(timeoutMs)]);
  }

  async entity(id: string, params: Params): Promise<Row | undefined> {
    return (await this.#request(id, { params }))?.body as Row | undefined;
  }

  async rows(id: string, params: Params): Promise<readonly Row[]> {
    const body = (await this.#request(id, { params }))?.body;
    return Array.isArray(body) ? (body as Row[]) : [];
  }

  async list(id: string, query: ControlFilters = {}): Promise<readonly Row[]> {
    return parseRows(await this.#request(id, { query: { ...query, limit: maxRows } }));
  }

  async controlList(path: string, query: ControlFilters = {}): Promise<readonly Row[]> {
    const input = { query: { ...query, limit: maxRows }, signal: this.#signal };
    return parseRows(await this.#quietly(() => callControlPlane(this.#context, 'GET', path, input)));
  }

  /** Ids with names. */
  async named(entity: EntityName, ids: readonly unknown[]): Promise<readonly string[]> {
    const texts = ids.map(String);
    const names = await this.#context.findNames(texts.slice(0, maxNames));
    return texts.map((id) => formatNamedId(id, names.get(nameKey(entity, id))));
  }

  #request(id: string, input: CallInput): Promise<ApiResponse | undefined> {
    const operation = getOperation(this.#context.manifest, id);
    return this.#quietly(() => send(this.#context, operation, { ...input, signal: this.#signal }));
  }

  async #quietly(call: () => Promise<ApiResponse>): Promise<ApiResponse | undefined> {
    try {
      return await call();
    } catch (error) {
      if (this.#context.io.signal.aborted) throw error;
      return undefined;
    }
  }
}

function parseRows(response: ApiResponse | undefined): readonly Row[] {
  return response && Array.isArray(response.body) ? (asPage(response).items as Row[]) : [];
}

async function describeApiKeys(reader: ImpactReader, clientId: string): Promise<string[]> {
  const keys = await reader.list('api-key.list', { clientId });
  if (keys.length === 0) return [];
  const [client] = await reader.named('client', [clientId]);
  return [`${formatCount(keys)} ${keys.length === 1 ? 'API key' : 'API keys'} of ${client}`];
}

function formatMembers(members: readonly Row[]): string[] {
  if (members.length === 0) return [];
  const kinds = [...new Set(members.map(({ kind }) => String(kind)))].map((kind) =>
    formatKindCount(members.filter((member) => member.kind === kind).length, kind),
  );
  return [`${formatCount(members)} ${members.length === 1 ? 'member' : 'members'}: ${kinds.join(', ')}`];
}

const plurals: Readonly<Record<string, readonly [one: string, many: string]>> = {
  user: ['user', 'users'],
  business: ['business', 'businesses'],
  businessUser: ['user of a business', 'users of businesses'],
  service: ['service', 'services'],
};

/** `2 users`; an unknown kind is printed by its name. */
function formatKindCount(number: number, kind: string): string {
  const [one, many] = plurals[kind] ?? [kind, kind];
  return `${number} ${number === 1 ? one : many}`;
}

function isNamed(group: Row): (dependency: Row) => boolean {
  return ({ groupName }) => groupName === group.groupName || groupName === group.groupId;
}

/** `2 groups depend on it: a, b`; empty if there are none. */
function formatNames(names: readonly unknown[], one: string, many: string): string[] {
  if (names.length === 0) return [];
  const listed = names.slice(0, maxNames).map(String).join(', ');
  return [
    `${formatCount(names)} ${names.length === 1 ? one : many}: ${listed}${names.length > maxNames ? ', ..' : ''}`,
  ];
}

function formatCount({ length }: readonly unknown[]): string {
  return length >= maxRows ? `${length} or more` : String(length);
}

function businessIdOf(business: unknown): unknown {
  return typeof business === 'object' && business !== null ? Object.values(business)[0] : business;
}
