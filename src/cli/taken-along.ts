/** What a deletion takes along, for who is asked whether to go on. What the caller may not read is left out. */
import { type Answer, asPage } from '../client/answer.ts';
import type { CallInput } from '../client/types.ts';
import { callControl, type Filters } from './control.ts';
import { operationOf } from './operations.ts';
import type { Context } from './runtime/context.ts';
import { send } from './send.ts';

type Params = NonNullable<CallInput['params']>;
type Row = Readonly<Record<string, unknown>>;

/** A look must not keep the one who is about to answer. */
const patience = 3_000;
const most = 1_000;
const namesShown = 5;

/** Lines for people; none where nothing goes along, or nothing is known of it. */
export async function takenAlong(context: Context, operationId: string, params: Params): Promise<readonly string[]> {
  const describe = descriptions[operationId];
  return describe ? describe(new Look(context), params) : [];
}

const descriptions: Readonly<Record<string, (look: Look, params: Params) => Promise<string[]>>> = {
  'groups.remove': async (look, { groupId = '' }) => {
    const { members, above } = await around(look, groupId);
    const kept = sentence(above, 'group depends on it', 'groups depend on it');
    return [...memberLines(members), ...kept.map((line) => `${line}; it stays as long as they do`)];
  },
  'groups.remove-role': losingRoles,
  'groups.remove-dependency': losingRoles,
  'user-accesses.remove-user': rolesOfGroup,
  'user-accesses.remove-business-user': rolesOfGroup,
  'business-accesses.remove-business': rolesOfGroup,
  'service-accesses.remove-service': rolesOfGroup,
  'api-key.remove': async (look, { apiKeyId = '' }) => {
    const key = (await look.list('api-key.list')).find((one) => one.apiKeyId === apiKeyId);
    return key ? [`${key.appId} can't call as ${key.clientId} with it any more`] : [];
  },
  'client-identities.remove': async (look, { serviceAccountId = '' }) => {
    const found = await look.controlList('/_iam/clients', { name: String(serviceAccountId) });
    const clients = found.filter((client) => client.serviceAccountId === serviceAccountId);
    const keys = await Promise.all(clients.map(({ clientId }) => keysOf(look, String(clientId))));
    return [
      ...sentence(
        clients.map(({ clientId }) => clientId),
        'client',
        'clients',
      ),
      ...keys.flat(),
    ];
  },
  'my-client-identities.remove': (look, { clientId = '' }) => keysOf(look, String(clientId)),
  'user-identities.remove': async (look, { id = '' }) => {
    const [roles, sessions] = await Promise.all([
      look.rows('user-accesses.list-user-roles', { userId: id }),
      look.controlList('/_iam/sessions', { userId: String(id) }),
    ]);
    const groups = new Set(roles.flatMap(({ groupNames }) => (groupNames as string[] | undefined) ?? []));
    return [
      ...sentence([...groups], 'group gives it roles', 'groups give it roles'),
      ...(sessions.length > 0 ? [`${counted(sessions)} ${sessions.length === 1 ? 'session' : 'sessions'}`] : []),
    ];
  },
  'corporate-groups.remove': async (look, { corporateGroupId = '' }) => {
    const found = await look.entity('corporate-groups.get', { corporateGroupId });
    const businesses = (found?.businesses as unknown[] | undefined) ?? [];
    return sentence(
      businesses.map(nameOf),
      'business is in no corporate group then',
      'businesses are in no corporate group then',
    );
  },
};

/** Whether it is known what a deletion takes along. */
export function isTold(operationId: string): boolean {
  return operationId in descriptions;
}

/** Who is in a group, and which groups depend on it. */
async function around(look: Look, groupId: unknown): Promise<{ members: readonly Row[]; above: readonly unknown[] }> {
  const group = await look.entity('groups.get', { groupId: String(groupId) });
  if (!group) return { members: [], above: [] };
  const [members, groups] = await Promise.all([
    look.controlList(`/_iam/groups/${encodeURIComponent(String(group.groupId))}/members`),
    look.list('groups.list'),
  ]);
  const above = groups.filter(({ dependencies }) => (dependencies as Row[] | undefined)?.some(isNamed(group)));
  return { members, above: above.map(({ groupName }) => groupName) };
}

async function losingRoles(look: Look, { groupId = '' }: Params): Promise<string[]> {
  const { members, above } = await around(look, groupId);
  return [...memberLines(members), ...sentence(above, 'group that depends on it', 'groups that depend on it')].map(
    (line) => `less for ${line}`,
  );
}

async function rolesOfGroup(look: Look, { groupId, groupName }: Params): Promise<string[]> {
  const group = await look.entity('groups.get', { groupId: String(groupId ?? groupName) });
  return sentence((group?.roles ?? []) as string[], 'role that it gives', 'roles that it gives');
}

/** Reads that may fail without harm. */
class Look {
  readonly #context: Context;
  readonly #signal: AbortSignal;

  constructor(context: Context) {
    this.#context = context;
    this.#signal = AbortSignal.any([context.io.signal, AbortSignal.timeout(patience)]);
  }

  async entity(id: string, params: Params): Promise<Row | undefined> {
    return (await this.#answer(id, { params }))?.body as Row | undefined;
  }

  async rows(id: string, params: Params): Promise<readonly Row[]> {
    const body = (await this.#answer(id, { params }))?.body;
    return Array.isArray(body) ? (body as Row[]) : [];
  }

  async list(id: string, query: Filters = {}): Promise<readonly Row[]> {
    return rowsOf(await this.#answer(id, { query: { ...query, limit: most } }));
  }

  async controlList(path: string, query: Filters = {}): Promise<readonly Row[]> {
    const input = { query: { ...query, limit: most }, signal: this.#signal };
    return rowsOf(await this.#quietly(() => callControl(this.#context, 'GET', path, input)));
  }

  #answer(id: string, input: CallInput): Promise<Answer | undefined> {
    const operation = operationOf(this.#context.manifest, id);
    return this.#quietly(() => send(this.#context, operation, { ...input, signal: this.#signal }));
  }

  async #quietly(call: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await call();
    } catch (error) {
      if (this.#context.io.signal.aborted) throw error;
      return undefined;
    }
  }
}

function rowsOf(answer: Answer | undefined): readonly Row[] {
  return answer && Array.isArray(answer.body) ? (asPage(answer).items as Row[]) : [];
}

async function keysOf(look: Look, clientId: string): Promise<string[]> {
  const keys = await look.list('api-key.list', { clientId });
  return keys.length === 0 ? [] : [`${counted(keys)} ${keys.length === 1 ? 'API key' : 'API keys'} of ${clientId}`];
}

function memberLines(members: readonly Row[]): string[] {
  if (members.length === 0) return [];
  const kinds = [...new Set(members.map(({ kind }) => String(kind)))].map((kind) =>
    counts(members.filter((member) => member.kind === kind).length, kind),
  );
  return [`${counted(members)} ${members.length === 1 ? 'member' : 'members'}: ${kinds.join(', ')}`];
}

const plurals: Readonly<Record<string, readonly [one: string, many: string]>> = {
  user: ['user', 'users'],
  business: ['business', 'businesses'],
  businessUser: ['user of a business', 'users of businesses'],
  service: ['service', 'services'],
};

/** `2 users`; a kind that is not known here by its name. */
function counts(number: number, kind: string): string {
  const [one, many] = plurals[kind] ?? [kind, kind];
  return `${number} ${number === 1 ? one : many}`;
}

function isNamed(group: Row): (dependency: Row) => boolean {
  return ({ groupName }) => groupName === group.groupName || groupName === group.groupId;
}

/** `2 groups depend on it: a, b`; nothing where there are none. */
function sentence(names: readonly unknown[], one: string, many: string): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, namesShown).map(String).join(', ');
  return [`${counted(names)} ${names.length === 1 ? one : many}: ${shown}${names.length > namesShown ? ', ..' : ''}`];
}

function counted({ length }: readonly unknown[]): string {
  return length >= most ? `${length} or more` : String(length);
}

function nameOf(business: unknown): unknown {
  return typeof business === 'object' && business !== null ? Object.values(business)[0] : business;
}
