/** What can be done with several users. */
import { TextInput } from '@mantine/core';
import type { ControlData } from '../../../api/clients.ts';
import { quotePositional, quoteShellArgument } from '../../../components/equivalents.tsx';
import type { BulkActions } from '../../../components/selection/bulk-action.ts';
import { Subject } from '../../../components/subject.tsx';
import { userQueries } from '../shown-user.ts';

export type ListedUser = ControlData<'/users'>[number];

const idsOf = (users: readonly ListedUser[]) => quotePositional(...users.map(({ userId }) => userId));

export const bulkUsers: BulkActions<ListedUser> = {
  noun: ['user', 'users'],
  keyOf: ({ userId }) => userId,
  nameOf: ({ userName }) => userName,
  render: ({ userId, userName }) => <Subject kind="user" id={userId} name={userName} isPlain />,
  isOwn: ({ userName }, subject) => userName === subject,
  changes: userQueries,
  actions: [
    {
      label: 'Lock',
      operations: ['user-identities.lock'],
      title: (users) => `Lock ${users}`,
      done: 'locked',
      effect: 'All their requests are rejected from the next one on, and their sessions end.',
      skip: { text: 'already locked', test: ({ locked }) => locked },
      field: {
        isRequired: false,
        render: (value, onChange) => (
          <TextInput
            label="Reason"
            maxLength={200}
            value={value}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
        ),
      },
      request: ({ userId }, reason) => {
        const body = { userId, ...(reason === '' ? {} : { reason }) };
        return ({ service }) => service.POST('/user-identities/lock', { body });
      },
      commands: (users, reason) => [
        `users lock${reason === '' ? '' : ` --reason ${quoteShellArgument(reason)}`} --yes ${idsOf(users)}`,
      ],
    },
    {
      label: 'Unlock',
      operations: ['user-identities.unlock'],
      title: (users) => `Unlock ${users}`,
      done: 'unlocked',
      effect: 'They can log in again. The throttles of all their login names are cleared.',
      skip: { text: 'not locked', test: ({ locked }) => !locked },
      request:
        ({ userId }) =>
        ({ service }) =>
          service.POST('/user-identities/unlock', { body: { userId } }),
      commands: (users) => [`users unlock ${idsOf(users)}`],
    },
    {
      label: 'Delete',
      operations: ['user-identities.remove'],
      isDangerous: true,
      title: (users) => `Delete ${users}`,
      done: 'deleted',
      effect: 'With them, their sessions, memberships and MFA contacts are deleted. Their ids are never used again.',
      request:
        ({ userId }) =>
        ({ service }) =>
          service.DELETE('/user-identities/{id}', { params: { path: { id: userId } } }),
      commands: (users) => [`users delete --yes ${idsOf(users)}`],
    },
  ],
};
