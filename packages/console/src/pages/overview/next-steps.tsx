/** Three things to do next, with the exact line for this server. */
import { SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useConsole } from '../../api/console-context.ts';
import { useFirstUsers } from '../../api/lists/use-first-users.ts';
import { usePermission } from '../../api/use-permission.ts';
import { CopyableLine, quotePositional, quoteShellArgument, useCommandFormat } from '../../components/equivalents.tsx';
import { useRefusals } from './last-refusals.tsx';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly line: string;
}

const shownSteps = 3;

export function NextSteps() {
  const steps = useSteps();
  return (
    <Stack component="section" gap="xs" aria-label="Next steps">
      <Title order={2} size="h6" c="dimmed">
        Next steps
      </Title>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
        {steps.slice(0, shownSteps).map(({ title, text, line }) => (
          <Stack key={title} gap={4}>
            <Text fw={600}>{title}</Text>
            <Text c="dimmed" size="sm">
              {text}
            </Text>
            <CopyableLine text={line} />
          </Stack>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** What fits the state of this server, the most useful first. */
function useSteps(): readonly Step[] {
  const { location } = useConsole();
  const format = useCommandFormat();
  const [refused] = useRefusals();
  const users = useFirstUsers();
  const { isAllowed: maySignIn } = usePermission('POST /_iam/sessions');
  const user = users?.find(({ userName }) => userName !== 'admin');
  const baseUrl = `${window.location.origin}${location.basePath}`;
  const why: Step[] =
    refused === undefined
      ? []
      : [
          {
            title: 'See why a request was refused',
            text: 'The missing role, and the groups that give it.',
            line: format(`why ${quotePositional(refused.id)}`),
          },
        ];
  return [
    ...why,
    user === undefined || !maySignIn
      ? {
          title: 'Create a user',
          text: 'Its codes and notices appear in the inbox.',
          line: format('users create --user-name alice --user-email alice@example.com'),
        }
      : {
          title: `Obtain a token of ${user.userName ?? user.userId}`,
          text: 'For a request as this user, without its password.',
          line: format(`sessions create ${quotePositional(user.userName ?? user.userId)} --show-token`),
        },
    {
      title: 'Point your program here',
      text: 'The command and the test library read this variable.',
      line: `export IAM_BASE_URL=${quoteShellArgument(baseUrl)}`,
    },
    {
      title: 'Make the next login fail',
      text: 'To see what your program does then.',
      line: format('faults add --preset next-login-fails'),
    },
  ];
}
