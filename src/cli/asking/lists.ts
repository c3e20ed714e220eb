/** Lists that a value can be picked from, by what the value is called on the command line. */
import { asPage } from '../../client/answer.ts';
import type { CallInput, ResultPage } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { callControl } from '../control.ts';
import { kebab } from '../fields.ts';
import { operationOf } from '../operations.ts';
import type { Context } from '../runtime/context.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import type { Choice } from '../runtime/questions.ts';
import { settingNames } from '../runtime/settings.ts';
import { send } from '../send.ts';

/** Values by their names on the command line: `group`, `user-id`. */
export type Known = Readonly<Record<string, string>>;

export interface Found {
  readonly choices: readonly Choice[];
  /** There are others besides these. */
  readonly more: boolean;
}

export interface ThingList {
  /** Choices by a term that the server looks for, or the first ones. */
  load(term: string | undefined, signal: AbortSignal): Promise<Found>;
  /** Whether the server can look for a term. */
  readonly canSearch: boolean;
}

export interface Place {
  readonly operation?: ManifestOperation | undefined;
  /** The command as it is typed, where it is written by hand: `iam profile use`. */
  readonly words?: string | undefined;
  readonly known: Known;
}

type Row = Readonly<Record<string, unknown>>;
type Source = (context: Context, place: Place) => ThingList | undefined;

/** So many are loaded at once: more than anybody reads, few enough to come at once. */
export const mostLoaded = 200;

const sources: Readonly<Record<string, Source>> = {
  group: ofGroups,
  // The name of a group that is to be made is not that of one that is there.
  'group-name': (context, place) => (place.operation?.id === 'groups.create' ? undefined : ofGroups(context)),
  dependency: (context, place) =>
    ofOneGroup(context, place, ({ dependencies }) => (dependencies as Row[]).map(({ groupName }) => groupName)),
  'role-name': (context, place) =>
    place.operation?.id === 'groups.remove-role'
      ? ofOneGroup(context, place, ({ roles }) => roles as string[])
      : ofRoles(context),
  role: ofRoles,
  'user-id': (context) => ofControl(context, '/_iam/users', ['userId', 'userName', 'userEmail']),
  subject: (context) => ofControl(context, '/_iam/users', ['userId', 'userName', 'userEmail']),
  'business-id': (context) => ofControl(context, '/_iam/businesses', ['businessId', 'businessName']),
  'client-id': (context) => ofControl(context, '/_iam/clients', ['clientId', 'appId', 'serviceAccountId']),
  'service-id': (context) => ofControl(context, '/_iam/clients', ['serviceAccountId', 'appId', 'clientId']),
  'service-account-id': (context) => ofControl(context, '/_iam/clients', ['serviceAccountId', 'appId', 'clientId']),
  'api-key-id': (context) => ofOperation(context, 'api-key.list', {}, ['apiKeyId', 'appId', 'clientId', 'hint']),
  'corporate-group-id': (context) =>
    ofOperation(context, 'corporate-groups.list', {}, ['corporateGroupId', 'corporateGroupName'], 'name'),
  name: ofNames,
  session: (context) => ofControl(context, '/_iam/sessions', ['sessionId', 'userId', 'clientId', 'startedAt']),
  fault: (context) => ofControl(context, '/_iam/faults', ['id', 'operation']),
  key: () => ofThese(settingNames.map(({ key }) => ({ value: key, name: key }))),
  operation: ({ manifest }) =>
    ofThese(manifest.operations.map(({ id, title }) => ({ value: id, name: `${id}  ${title}` }))),
};

/** The list that a value comes from; nothing where there is none. */
export function listOf(context: Context, name: string, place: Place): ThingList | undefined {
  return ofSiblings(context, name, place) ?? sources[name]?.(context, place);
}

function ofGroups(context: Context): ThingList {
  return ofOperation(context, 'groups.list', {}, ['groupName', 'organizationId', 'businessUnitId'], 'name');
}

/** Names of what there is, by the noun of the command; a new one is not that of one that is there. */
function ofNames(context: Context, { words = '' }: Place): ThingList | undefined {
  const [, noun = '', verb = ''] = words.split(' ');
  if (['add', 'create', 'save'].includes(verb)) return undefined;
  if (noun === 'profile') return ofThese(Object.keys(context.sources.file.profiles).map((name) => choiceOf([name])));
  const path = { sandbox: '/_iam/sandboxes', state: '/_iam/state/snapshots' }[noun];
  return path === undefined ? undefined : ofControl(context, path, ['name', 'createdAt']);
}

/** What is removed from something is one of the things that it has: `groups users remove` takes of `groups users list`. */
function ofSiblings(context: Context, name: string, { operation, known }: Place): ThingList | undefined {
  const { manifest } = context;
  const { command = '', params = [], effect } = operation ?? {};
  if (effect !== 'destructive' || params.length < 2) return undefined;
  const sibling = manifest.operations.find((one) => one.command === command.replace(/ \S+$/, ' list'));
  const last = params.at(-1)?.name;
  const isOfLast = sibling?.params.length === params.length - 1;
  if (!sibling || last === undefined || kebab(last) !== name || !isOfLast) return undefined;
  const values = Object.values(known);
  const input = Object.fromEntries(sibling.params.map(({ name: param }, at) => [param, values[at] ?? '']));
  return ofOperation(context, sibling.id, { params: input }, [last]);
}

function ofOperation(
  context: Context,
  id: string,
  input: CallInput,
  fields: readonly string[],
  filter?: string,
): ThingList {
  const operation = operationOf(context.manifest, id);
  return {
    canSearch: filter !== undefined,
    load: async (term, signal) => {
      const narrowed = filter === undefined || term === undefined ? {} : { [filter]: term };
      const query = { limit: mostLoaded, ...narrowed };
      return foundOf(asPage(await send(context, operation, { ...input, query, signal })), fields);
    },
  };
}

function ofControl(context: Context, path: string, fields: readonly string[]): ThingList {
  return {
    canSearch: true,
    load: async (term, signal) => {
      const query = { limit: mostLoaded, name: term };
      return foundOf(asPage(await callControl(context, 'GET', path, { query, signal })), fields);
    },
  };
}

/** Roles are in no list of their own; those that are in use are in groups. */
function ofRoles(context: Context): ThingList {
  const operation = operationOf(context.manifest, 'groups.list');
  return {
    canSearch: false,
    load: async (_term, signal) => {
      const page = asPage(await send(context, operation, { query: { limit: mostLoaded }, signal }));
      const roles = new Set((page.items as Row[]).flatMap(({ roles: some }) => some as string[]));
      return { choices: [...roles].sort().map((role) => choiceOf([role])), more: page.next !== undefined };
    },
  };
}

/** What one group has, which is read when it is known. */
function ofOneGroup(context: Context, { known }: Place, partsOf: (group: Row) => readonly unknown[]): ThingList {
  const operation = operationOf(context.manifest, 'groups.get');
  return {
    canSearch: false,
    load: async (_term, signal) => {
      const { body } = await send(context, operation, { params: { groupId: known.group ?? '' }, signal });
      return { choices: partsOf(body as Row).map((part) => choiceOf([part])), more: false };
    },
  };
}

function ofThese(choices: readonly Choice[]): ThingList {
  return { canSearch: false, load: async () => ({ choices, more: false }) };
}

/** Of each row the first field is the value, and all of them are shown. Rows without it are left out. */
function foundOf({ items, next }: ResultPage<unknown>, [value = '', ...others]: readonly string[]): Found {
  const rows = (items as Row[]).filter((row) => typeof row[value] === 'string');
  return {
    choices: rows.map((row) => choiceOf([row[value], ...others.map((name) => row[name])])),
    more: next !== undefined,
  };
}

function choiceOf([value, ...others]: readonly unknown[]): Choice {
  const shown = [value, ...others].filter((part) => part !== undefined && part !== null && part !== '');
  return { value: String(value), name: shown.map((part) => escapeControls(String(part))).join('  ') };
}
