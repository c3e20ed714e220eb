/** The answer whether a user has a role: the way from the user over groups to the role, or the groups that would give it. */
import { Alert, List, Stack, Text, Title } from '@mantine/core';
import { Subject } from '../../../components/subject.tsx';
import type { RolePathAnswer } from './role-path.tsx';
import { RolePathDrawing } from './role-path-drawing.tsx';

export function RoleAnswer({ answer }: { readonly answer: RolePathAnswer }) {
  const { role, granted, paths: found, pathCount } = answer;
  if (!granted) return <RoleRefusal answer={answer} />;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        Yes: <AskedUser answer={answer} /> has {role}
      </Title>
      {found.map((path) => (
        <RolePathDrawing key={`${path.kind} ${path.groups[0]?.groupId}`} path={path} answer={answer} />
      ))}
      {pathCount > found.length ? <Text>And over {pathCount - found.length} other groups.</Text> : undefined}
    </Stack>
  );
}

function RoleRefusal({ answer }: { readonly answer: RolePathAnswer }) {
  const { role, reserved, grantedByGroups } = answer;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        No: no group gives {role} to <AskedUser answer={answer} />
      </Title>
      {reserved ? (
        <Alert color="orange" variant="light">
          Only the service gives {role}: at login, or by the kind of the user. A group cannot have it.
        </Alert>
      ) : undefined}
      {!reserved && grantedByGroups.length === 0 ? (
        <Text>No group has this role. Add it to a group of the user, or create a group with it.</Text>
      ) : undefined}
      {grantedByGroups.length > 0 ? (
        <>
          <Text>A membership in one of these groups would give it:</Text>
          <List>
            {grantedByGroups.map((name) => (
              <List.Item key={name}>
                <Subject kind="group" id={name} name={name} />
              </List.Item>
            ))}
          </List>
        </>
      ) : undefined}
    </Stack>
  );
}

function AskedUser({ answer: { userId, userName } }: { readonly answer: RolePathAnswer }) {
  return <Subject kind="user" id={userId} name={userName} isPlain />;
}
