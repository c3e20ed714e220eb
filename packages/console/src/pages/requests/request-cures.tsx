/** What lets a refused request pass: groups with the roles that they give, a login at another level, unlocking. */
import { Alert, Code, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import { quotePositional } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { Subject } from '../../components/subject.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { addMemberRequest, formatMemberCommand, memberOperations } from '../groups/members/member-requests.ts';
import type { RequestReasonRecord } from './request-replay.ts';

type Cure = RequestReasonRecord['cures'][number];
type GroupCure = Extract<Cure, { kind: 'add-to-group' }>;
type UnlockCure = Extract<Cure, { kind: 'unlock' }>;
type SignInCure = Extract<Cure, { kind: 'sign-in' }>;

/** More groups would hide the best ones, which are first. */
const maxShown = 5;

interface RequestCuresProps {
  readonly reason: RequestReasonRecord;
  readonly token: string | undefined;
  onSignIn(token: string): void;
}

/** Whether all that refused the request is mended, by the current roles of its caller. */
export function isMended({ cures }: RequestReasonRecord, token: string | undefined): boolean {
  return cures.every(({ kind }) => kind === 'sign-in' && token !== undefined);
}

export function RequestCures({ reason: { cures, client }, token, onSignIn }: RequestCuresProps) {
  const groups = cures.filter((cure) => cure.kind === 'add-to-group').slice(0, maxShown);
  const first = cures.find(({ kind }) => kind !== 'sign-in' || token === undefined);
  return (
    <>
      {cures.map((cure) => {
        if (cure.kind === 'unlock') return <Unlock key={cure.kind} cure={cure} isPrimary={cure === first} />;
        if (cure.kind === 'sign-in')
          return (
            <SignIn
              key={cure.kind}
              cure={cure}
              isPrimary={cure === first}
              clientId={client?.clientId}
              token={token}
              onSignIn={onSignIn}
            />
          );
        return undefined;
      })}
      {groups.map((cure) => (
        <AddToGroup key={cure.groupId} cure={cure} isPrimary={cure === first} />
      ))}
    </>
  );
}

interface CureProps<Kind> {
  readonly cure: Kind;
  readonly isPrimary: boolean;
}

function AddToGroup({ cure, isPrimary }: CureProps<GroupCure>) {
  const { groupId, groupName, memberKind, memberId, memberName, gains, lacks } = cure;
  const member = { kind: memberKind, id: memberId };
  const effect = `gains ${gains.join(', ') || 'no role'}${lacks.length === 0 ? '' : `, still lacks ${lacks.join(', ')}`}`;
  return (
    <Group gap="xs" w="100%">
      <WriteAction
        operation={memberOperations.add[memberKind]}
        label={`Add ${memberName} to ${groupName}`}
        title={`Add ${memberName} to ${groupName}`}
        confirmLabel="Add"
        done={`Added ${memberName} to ${groupName}.`}
        isPrimary={isPrimary}
        isCompact
        command={formatMemberCommand('add', groupName, member)}
        request={addMemberRequest(groupId, member)}
      >
        <Text component="div">
          <Subject kind={memberKind} id={memberId} name={memberName} isPlain /> gains with the next token:{' '}
          <RoleNames names={gains} />
        </Text>
        {lacks.length === 0 ? undefined : (
          <Text component="div">
            The request still lacks <RoleNames names={lacks} />
          </Text>
        )}
      </WriteAction>
      <Text size="sm">{effect}</Text>
    </Group>
  );
}

function RoleNames({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return 'no role';
  return (
    <Group gap={4} component="span" display="inline-flex">
      {names.map((name) => (
        <Code key={name}>{name}</Code>
      ))}
    </Group>
  );
}

function Unlock({ cure: { userId, userName }, isPrimary }: CureProps<UnlockCure>) {
  return (
    <WriteAction
      operation="user-identities.unlock"
      label={`Unlock ${userName}`}
      title={`Unlock ${userName}`}
      confirmLabel="Unlock"
      done={`Unlocked ${userName}.`}
      isPrimary={isPrimary}
      isCompact
      command={`users unlock ${quotePositional(userId)}`}
      request={({ service }) => service.POST('/user-identities/unlock', { body: { userId } })}
    >
      <Text>The user can log in again.</Text>
    </WriteAction>
  );
}

interface SignInProps extends CureProps<SignInCure> {
  /** The client of the request. */
  readonly clientId: string | undefined;
  readonly token: string | undefined;
  onSignIn(token: string): void;
}

function SignIn({ cure: { userId, level }, isPrimary, clientId, token, onSignIn }: SignInProps) {
  const { control } = useConsole();
  const body = { userId, level, ...(clientId === undefined ? {} : { clientId }) };
  const signIn = useMutation({
    mutationFn: () => unwrap(control.POST('/sessions', { body: body as never })),
    gcTime: 0,
    onSuccess: ({ accessToken }) => onSignIn(accessToken),
  });
  return (
    <>
      <PermittedButton
        operation="POST /_iam/sessions"
        variant={isPrimary ? 'filled' : 'default'}
        size="compact-sm"
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        {`Sign in again at ${level}`}
      </PermittedButton>
      {signIn.error ? <ErrorPanel error={signIn.error} /> : undefined}
      {token === undefined ? undefined : (
        <Alert color="green" variant="light" w="100%" role="status" title={`Signed in at ${level}`}>
          <Group gap="xs">
            <Text size="sm">Send again uses this token.</Text>
            <CopyTextButton text={token} label="Copy the access token" />
          </Group>
        </Alert>
      )}
    </>
  );
}
