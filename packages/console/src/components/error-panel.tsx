/** An error of a request: code, message, what is missing, the request id, and a way to repeat the request. */
import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { useConsole } from '../api/console-context.ts';
import { RequestError, type ResponseError } from '../api/errors.ts';
import { RestoreSandbox } from './restore-sandbox.tsx';
import { Subject } from './subject.tsx';

interface ErrorPanelProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function ErrorPanel({ error, onRetry }: ErrorPanelProps) {
  const items = error instanceof RequestError ? error.items : [toItem(error)];
  const requestId = error instanceof RequestError ? error.requestId : undefined;
  const { location } = useConsole();
  const isDeleted = items.some(({ code }) => code === 'SANDBOX_NOT_FOUND');
  return (
    <Alert color="red" variant="light" role="alert" title="The request failed">
      <Stack gap="xs">
        {items.map((item) => (
          <ErrorText key={`${item.code} ${item.message}`} item={item} />
        ))}
        {isDeleted && location.sandbox !== undefined ? <RestoreSandbox name={location.sandbox} /> : undefined}
        <Group gap="md">
          {requestId === undefined ? undefined : (
            <Text size="sm">
              Request <Code>{requestId}</Code>
            </Text>
          )}
          {onRetry === undefined ? undefined : (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

function toItem(error: unknown): ResponseError {
  return { code: 'CONSOLE_ERROR', message: error instanceof Error ? error.message : 'Unknown error' };
}

function ErrorText({ item: { code, message, details } }: { readonly item: ResponseError }) {
  const { missingRoles = [], grantedByGroups = [] } = details ?? {};
  return (
    <div>
      <Text>
        <Code>{code}</Code> {message}
      </Text>
      {missingRoles.length === 0 ? undefined : <Text size="sm">Missing roles: {missingRoles.join(', ')}.</Text>}
      {grantedByGroups.length === 0 ? undefined : (
        <List size="sm">
          {grantedByGroups.map((name) => (
            <List.Item key={name}>
              Granted by the group <Subject kind="group" id={name} name={name} />
            </List.Item>
          ))}
        </List>
      )}
    </div>
  );
}
