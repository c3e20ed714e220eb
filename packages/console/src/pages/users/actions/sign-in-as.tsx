/** Signs in as a user without a password, a test feature, and shows the token once. */
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { unwrap } from '../../../api/errors.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { SecretAction } from '../../../components/secrets/secret-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';

const levels = ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'] as const;

export function SignInAs({ user: { userId, userName } }: { readonly user: ShownUser }) {
  const [level, setLevel] = useState<(typeof levels)[number]>('AUTH-BASIC');
  const body = { userId, level };
  return (
    <SecretAction
      operation="POST /_iam/sessions"
      label="Sign in as"
      title={`Sign in as ${userName}`}
      confirmLabel="Sign in"
      secretLabel="Access token"
      isReady
      command={`sessions create ${quotePositional(userId)} --level ${level} --show-token`}
      call={{ method: 'POST', path: '/_iam/sessions', body }}
      changes={userQueries}
      send={async ({ control }) => {
        const { accessToken: value } = await unwrap(control.POST('/sessions', { body: body as never }));
        return { subject: { kind: 'user', id: userId, name: userName }, secret: { kind: 'token', value } };
      }}
    >
      <NativeSelect
        label="Level"
        data={[...levels]}
        value={level}
        onChange={({ currentTarget }) => setLevel(currentTarget.value as typeof level)}
      />
    </SecretAction>
  );
}
