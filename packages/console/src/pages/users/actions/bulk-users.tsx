/** What can be done with several users. */
import { TextInput } from '@mantine/core';
import type { ControlData } from '../../../api/clients.ts';
import { quotePositional, quoteShellArgument } from '../../../components/equivalents.tsx';
import type { BulkActions } from '../../../components/selection/bulk-action.ts';
import { Subject } from '../../../components/subject.tsx';
import { EntitySelect } from '../../groups/data/entity-select.tsx';
import { addMemberRequest, memberOperations } from '../../groups/members/member-requests.ts';
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
      isLockout: true,
      title: (users) => `Lock ${users}`,
      done: 'locked',
      effect: 'All their requests are rejected from the next one on, and their sessions end.',
      skip: { text: 'already locked', test: ({ locked }) => locked },
      field: {
        isRequired: false,
        render: (value, onChange) => (
          <TextInput label="Reason" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
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
      label: 'End sessions',
      operations: ['DELETE /_iam/sessions'],
      isLockout: true,
      title: (users) => `End the sessions of ${users}`,
      done: 'logged out',
      effect: 'Their tokens are rejected from the next request on. They can log in again.',
      request:
        ({ userId }) =>
        ({ control }) =>
          control.DELETE('/sessions', { params: { query: { userId } } }),
      commands: (users) => users.map(({ userId }) => `sessions end --yes --user-id ${quoteShellArgument(userId)}`),
    },
    {
      label: 'Add to a group',
      operations: [memberOperations.add.user],
      title: (users) => `Add ${users} to a group`,
      done: 'added to the group',
      effect: 'They get its roles and those that it inherits, from the next request on.',
      field: {
        isRequired: true,
        render: (value, onChange) => (
          <EntitySelect
            label="Group"
            kind="groups"
            value={value === '' ? undefined : value}
            onChange={(groupId) => onChange(groupId ?? '')}
          />
        ),
      },
      request: ({ userId }, groupId) => addMemberRequest(groupId, { kind: 'user', id: userId }),
      commands: (users, groupId) => [
        `groups users add ${quotePositional(groupId || 'GROUP', ...users.map(({ userId }) => userId))}`,
      ],
    },
    {
      label: 'Delete',
      operations: ['user-identities.remove'],
      isDangerous: true,
      isLockout: true,
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
