/** One way from a user over groups to a role, as a line of boxes. */
import { Group, Paper, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Subject } from '../../../components/subject.tsx';
import type { RolePathAnswer } from './role-path.tsx';

interface RolePathDrawingProps {
  readonly path: RolePathAnswer['paths'][number];
  readonly answer: RolePathAnswer;
}

const memberships = {
  user: 'is in',
  business: 'is in, with its business,',
  businessUser: 'is in, on behalf of its business,',
  service: 'is in',
};

export function RolePathDrawing({ path: { kind, groups }, answer: { userId, userName, role } }: RolePathDrawingProps) {
  return (
    <Group component="ol" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Way to the role">
      <PathBox>
        <Subject kind="user" id={userId} name={userName} />
      </PathBox>
      {groups.map((group, at) => (
        <Fragment key={group.groupId}>
          <PathArrow>{at === 0 ? memberships[kind] : 'depends on'}</PathArrow>
          <PathBox>
            <Subject kind="group" id={group.groupId} name={group.groupName} />
          </PathBox>
        </Fragment>
      ))}
      <PathArrow>has</PathArrow>
      <PathBox>{role}</PathBox>
    </Group>
  );
}

function PathBox({ children }: { readonly children: ReactNode }) {
  return (
    <Paper component="li" withBorder px="sm" py="xs" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Paper>
  );
}

function PathArrow({ children }: { readonly children: ReactNode }) {
  return (
    <Text component="li" size="sm">
      {children} <span aria-hidden="true">→</span>
    </Text>
  );
}
