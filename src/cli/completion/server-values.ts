/** Names that the server has: by the list beside a command, or by that of the noun which a value is named after. */
import type { Command } from 'commander';
import { wordsOf } from '../leaf.ts';
import type { Candidate } from './candidate.ts';
import type { Lists } from './lists.ts';
import { commandBelow, type Position } from './position.ts';
import { candidatesIn, candidatesOf } from './rows.ts';
import type { Slot } from './slot.ts';

export interface ServerAsked {
  readonly slot: Slot;
  readonly position: Position;
  readonly program: Command;
  readonly lists: Lists;
}

interface Place {
  readonly list: readonly string[];
  readonly property: string;
}

const groups = ['groups', 'list'];
const clients = ['clients', 'list'];
const roles: readonly Place[] = [{ list: groups, property: 'roles' }];
const services: readonly Place[] = [{ list: clients, property: 'serviceAccountId' }];

/** Values that are named otherwise than the noun whose list has them. */
const elsewhere: Readonly<Record<string, readonly Place[]>> = {
  role: roles,
  'role-name': roles,
  dependency: [{ list: groups, property: 'groupName' }],
  'service-id': services,
  'service-account-id': services,
  'app-id': [{ list: clients, property: 'appId' }],
  'user-client-id': [{ list: clients, property: 'clientId' }],
  subject: [{ list: ['users', 'list'], property: 'userId' }, ...services],
};

/** Candidates for a value; none for the name of what is only about to be made. */
export async function serverValues(asked: ServerAsked): Promise<readonly Candidate[]> {
  const { slot, lists } = asked;
  const own = await ownValues(asked);
  if (own) return own;
  const places = elsewhere[slot.name];
  if (places) {
    const found = await Promise.all(places.map(({ list }) => lists(list)));
    return places.flatMap(({ property }, at) => (found[at] ?? []).flatMap((row) => candidatesIn(row, property)));
  }
  const beside = await valuesBeside(asked);
  if (beside.length > 0) return beside;
  const noun = commandBelow(asked.program, stemOf(slot.name));
  return noun ? candidatesOf(await lists([noun.name(), 'list']), slot.name, true) : [];
}

/** By the list next to the command that takes as many arguments as come before this one: `groups users list ops`. */
async function valuesBeside({ slot, position, lists }: ServerAsked): Promise<readonly Candidate[]> {
  const { command, args } = position;
  const list = command.parent?.commands.find((beside) => beside.name() === 'list');
  const isMade = /^(add|create)(-|$)/.test(command.name());
  if (!list || list === command || isMade || slot.at !== list.registeredArguments.length) return [];
  const rows = await lists(wordsOf(list).split(' ').slice(1), args.slice(0, slot.at));
  return candidatesOf(rows, slot.name, isNamedAfter(command.parent, slot.name));
}

/** Whether a value is what the command makes, so that none of those there are fits. */
export function isNew({ slot, position: { command } }: Pick<ServerAsked, 'slot' | 'position'>): boolean {
  const makes = command.name() === 'create' || (command.name() === 'add' && !command.parent?.parent?.parent);
  return makes && isNamedAfter(command.parent, slot.name);
}

function isNamedAfter(noun: Command | null, name: string): boolean {
  return noun !== null && [noun.name(), ...noun.aliases()].includes(stemOf(name));
}

function stemOf(name: string): string {
  return name.replace(/-(id|name)$/, '');
}

const removals: Readonly<Record<string, string>> = { 'remove-role': 'roles', 'remove-dependency': 'dependencies' };

/** What is taken away can only be something that the group has; nothing where the group is not among those there are. */
async function ownValues({ slot, position, lists }: ServerAsked): Promise<readonly Candidate[] | undefined> {
  const { command, args } = position;
  const property = slot.at === 0 ? undefined : removals[slot.flag?.replace('--', '') ?? command.name()];
  if (property === undefined) return undefined;
  const rows = await lists(groups);
  const own = rows.find(({ groupName, groupId }) => groupName === args[0] || groupId === args[0]);
  return own && candidatesIn(own, property);
}
