/** docs/user-life.md: the states of a user, and what leads from one to another. */
import {
  type UserState,
  type UserStateEntry,
  userStates,
  userTransitions,
} from '../../src/server/identity/user-lifecycle.ts';
import { code, page, table } from './markdown.ts';

/** The page; the table of the life of a user is all it depends on. */
export function userLifecyclePage(): string {
  const states = Object.entries(userStates) as [UserState, UserStateEntry][];
  return page(
    'The life of a user',
    'What a user may do depends on what it has proven and on what administrators did to it. Whatever is not listed is refused and changes nothing. A lock, a removal and a new password end sessions, codes and single-use values at once: no step of a flow that was begun before them succeeds after them.',
    '## States',
    table(
      ['State', 'Meaning', 'Login with the right password', 'Recovery', 'Level of its session'],
      states.map(formatStateRow),
    ),
    '## What leads where',
    table(
      ['Event', 'Operations', 'From', 'To'],
      userTransitions.map(({ event, operations, from, needs, to }) => [
        event,
        operations.map(code).join(', '),
        needs === undefined ? from.join(', ') : `${from.join(', ')}; with ${needs}`,
        targets[to as keyof typeof targets] ?? to,
      ]),
    ),
  );
}

const targets = {
  same: 'as before',
  derived: 'with password where it has one, identified where a contact is proven, else unverified',
};

function formatStateRow([state, { meaning, login, recovery, level }]: [UserState, UserStateEntry]): string[] {
  return [state, meaning, String(login), recovery ? 'a code is sent' : 'nothing is sent', level ?? 'not taken'];
}
