/** An error of a request: code, message, what is missing, the request id, and a way to repeat the request. */
import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { RequestError, type ResponseError } from '../api/errors.ts';
import { ConnectedContext } from '../api/live/use-live-queries.ts';
import { Subject } from './subject.tsx';

interface ErrorPanelProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function ErrorPanel({ error, onRetry }: ErrorPanelProps) {
  const items = error instanceof RequestError ? error.items : [toItem(error)];
  const requestId = error instanceof RequestError ? error.requestId : undefined;
  const isConnected = useContext(ConnectedContext);
  const hints = useErrorHints(error instanceof RequestError && error.status !== undefined);
  return (
    <Alert color="red" variant="light" role="alert" title="The request failed">
      <Stack gap="xs">
        {items.map((item) => (
          <ErrorText key={`${item.code} ${item.message}`} item={item} hint={hints[item.code]} />
        ))}
        {isConnected && error instanceof RequestError && error.status === undefined ? (
          <Text size="sm">It responds again: check whether the request was carried out, before you send it again.</Text>
        ) : undefined}
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

/** The hints are loaded ahead, or with the first response that is an error: without one, the server may be down. */
function useErrorHints(isResponse: boolean): Readonly<Record<string, string>> {
  const { data } = useQuery({
    queryKey: ['error-hints'],
    queryFn: async () => (await import('../api/error-hints.ts')).errorHints,
    enabled: isResponse,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data ?? {};
}

interface ErrorTextProps {
  readonly item: ResponseError;
  /** What to do about it. */
  readonly hint: string | undefined;
}

/** The commands that it names are between backticks. */
export function HintText({ hint }: { readonly hint: string }) {
  const parts = hint.split('`');
  return <Text size="sm">{parts.map((part, at) => (at % 2 === 0 ? part : <Code key={part}>{part}</Code>))}</Text>;
}

function ErrorText({ item: { code, message, details }, hint }: ErrorTextProps) {
  const { missingRoles = [], grantedByGroups = [] } = details ?? {};
  return (
    <div>
      <Text>
        <Code>{code}</Code> {message}
      </Text>
      {hint === undefined ? undefined : <HintText hint={hint} />}
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
