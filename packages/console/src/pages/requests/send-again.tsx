/** Sends a request again as the same caller, and shows whether it is allowed now. */
import { Alert, Button, Code, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useId, useState } from 'react';
import { useLogin } from '../../api/caller.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { type AccessTarget, accessRuleOf } from '../../api/permissions.ts';
import { useChanged } from '../../api/use-changed.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import {
  type Answers,
  buildReplay,
  hasUndeclared,
  listQuestions,
  type RequestReasonRecord,
  senderOf,
} from './request-replay.ts';
import type { RequestRecord } from './request-summary.tsx';

interface SendAgainProps {
  readonly request: RequestRecord;
  readonly reason: RequestReasonRecord;
  /** Of a login at another level; otherwise a token is issued. */
  readonly token: string | undefined;
  /** While something refuses the request, mending that is the main action. */
  readonly isPrimary: boolean;
  onAccepted(): void;
}

interface SentRequest {
  readonly id: string | null;
  readonly status: number;
  readonly codes: readonly string[];
}

export function SendAgain({ request, reason, token: given, isPrimary, onAccepted }: SendAgainProps) {
  const { control, connection, location } = useConsole();
  const changed = useChanged();
  const sender = senderOf(reason, useLogin() !== undefined);
  const questions = listQuestions(request);
  const isDestructive = isConfirmed(request);
  const [answers, setAnswers] = useState<Answers>({});
  const [isOpen, dialog] = useDisclosure(false);
  const reasonId = useId();
  const send = useMutation({
    mutationFn: async (): Promise<SentRequest> => {
      const issued = async () =>
        sender.kind === 'session'
          ? (await unwrap(control.POST('/sessions', { body: sender.body as never }))).accessToken
          : undefined;
      const { path, init } = buildReplay(request, answers, given ?? (await issued()));
      const response = await connection.fetch(`${location.basePath}${below(location.basePath, path)}`, init);
      return { id: response.headers.get('x-request-id'), status: response.status, codes: await readCodes(response) };
    },
    gcTime: 0,
    onSuccess: async ({ status }) => {
      dialog.close();
      if (status < 400) onAccepted();
      await changed();
    },
  });
  if (sender.kind === 'impossible')
    return (
      <>
        <Button size="compact-sm" disabled aria-describedby={reasonId}>
          Send again
        </Button>
        <Text size="sm" id={reasonId}>
          {sender.reason}
        </Text>
      </>
    );
  const start = () => (questions.length === 0 && !isDestructive ? send.mutate() : dialog.open());
  const name = sender.kind === 'session' ? `as ${request.callerName ?? sender.name}` : 'as it was';
  return (
    <>
      <PermittedButton
        size="compact-sm"
        variant={isPrimary ? 'filled' : 'default'}
        operation={sender.kind === 'session' ? 'POST /_iam/sessions' : []}
        loading={send.isPending && !isOpen}
        onClick={start}
      >
        Send again {name}
      </PermittedButton>
      {hasUndeclared(request.body) ? (
        <Text size="sm">Without the fields that the operation does not declare.</Text>
      ) : undefined}
      {send.error && !isOpen ? <ErrorPanel error={send.error} /> : undefined}
      {send.data ? <SentResult key={send.submittedAt} wasRejected={reason.rejected} {...send.data} /> : undefined}
      <ConfirmDialog
        title={`Send again ${name}`}
        isOpen={isOpen}
        confirmLabel="Send"
        isPending={send.isPending}
        isDangerous={isDestructive}
        isReady={questions.every(({ variable, path }) => isAnswer(answers[variable] ?? '', path))}
        error={send.error}
        onConfirm={() => send.mutate()}
        onCancel={() => {
          send.reset();
          dialog.close();
        }}
      >
        {isDestructive ? (
          <Text>
            <Code>
              {request.method} {request.path}
            </Code>{' '}
            deletes or disables something: if it is allowed now, it takes effect at once.
          </Text>
        ) : undefined}
        {questions.length === 0 ? undefined : <Text size="sm">The log does not contain these values.</Text>}
        {questions.map(({ variable, in: part, path }) => {
          const Input = path.length === 0 ? Textarea : TextInput;
          return (
            <Input
              key={variable}
              label={path.length === 0 ? 'Request body' : path.join('.')}
              description={path.length === 0 ? 'JSON' : `In the ${part} of the request`}
              value={answers[variable] ?? ''}
              error={path.length === 0 && !isJson(answers[variable] ?? '{}') ? 'Not JSON' : undefined}
              onChange={({ currentTarget: { value } }) => setAnswers((before) => ({ ...before, [variable]: value }))}
            />
          );
        })}
      </ConfirmDialog>
    </>
  );
}

/** Whether it deletes or disables something, as all such actions are confirmed. */
function isConfirmed({ operation, method }: RequestRecord): boolean {
  const rule = operation === undefined ? undefined : accessRuleOf(operation as AccessTarget);
  return rule?.destructive ?? method === 'DELETE';
}

/** The whole body is JSON; values are text. */
function isAnswer(answer: string, path: readonly string[]): boolean {
  return path.length === 0 ? isJson(answer) : answer !== '';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function SentResult({ id, status, codes, wasRejected }: SentRequest & { readonly wasRejected: boolean }) {
  const isAllowed = status < 400;
  // Not at the lower edge, where toasts are.
  const show = useCallback((alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'center' }), []);
  const verdict = isAllowed ? (wasRejected ? 'Now allowed' : 'Answered') : wasRejected ? 'Still refused' : 'Refused';
  return (
    <Alert
      ref={show}
      role="status"
      color={isAllowed ? 'green' : 'red'}
      variant="light"
      w="100%"
      title={`${verdict}: ${[status, ...codes].join(' ')}`}
    >
      {id === null ? undefined : (
        <Link to="/requests/$" params={{ _splat: id } as never}>
          {isAllowed ? 'Open the new request' : 'Why'}
        </Link>
      )}
    </Alert>
  );
}

/** The part of a path below the address of the service: behind a proxy, recorded paths can contain it. */
function below(basePath: string, path: string): string {
  return basePath !== '' && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

async function readCodes(response: Response): Promise<readonly string[]> {
  if (response.ok) return [];
  const items: unknown = await response.json().catch(() => []);
  return Array.isArray(items) ? items.map((item) => String(Object(item).code ?? '')) : [];
}
