/** Generates docs/user-lifecycle.md: the states of a user and the transitions between them. */
import { type UserState, type UserStateEntry, userStates, userTransitions } from '../../test/model/user-lifecycle.ts';
import { code, page, table } from './markdown.ts';

/** Renders the page from the lifecycle table. */
export function userLifecyclePage(): string {
  const states = Object.entries(userStates) as [UserState, UserStateEntry][];
  return page(
    'User lifecycle',
    'The state of a user determines what it may do. It depends on the credentials and contacts that were verified and on actions of administrators. Events that are not listed for a state are rejected and change nothing. A lock, a removal and a new password immediately revoke sessions, codes and one-time tokens: flows that were started before cannot be completed.',
    '## States',
    table(
      ['State', 'Meaning', 'Login with the correct password', 'Recovery', 'Session level'],
      states.map(formatStateRow),
    ),
    '## Transitions',
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
  same: 'unchanged',
  derived: 'with password if the user has one, else identified if a contact is verified, else unverified',
};

function formatStateRow([state, { meaning, login, recovery, level }]: [UserState, UserStateEntry]): string[] {
  return [state, meaning, String(login), recovery ? 'sends a code' : 'sends nothing', level ?? 'tokens are rejected'];
}
