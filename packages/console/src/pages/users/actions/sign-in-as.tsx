/** Signs in as a user without a password, a test feature, and shows the token once. */
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { unwrap } from '../../../api/errors.ts';
import { quotePositional } from '../../../components/equivalents.tsx';
import { SecretAction } from '../../../components/secrets/secret-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';

/** What a login at the level has proved. */
const levels = {
  'AUTH-IDENTIFIED': 'As after a code without a password',
  'AUTH-BASIC': 'As after a password',
  'AUTH-MFA': 'As after a password and a second factor',
};

export function SignInAs({ user: { userId, userName } }: { readonly user: ShownUser }) {
  const [level, setLevel] = useState<keyof typeof levels>('AUTH-BASIC');
  const body = { userId, level };
  return (
    <SecretAction
      operation="POST /_iam/sessions"
      label="Sign in as"
      title={`Sign in as ${userName}`}
      confirmLabel="Sign in"
      doneLabel="Signed in as"
      secretLabel="Access token"
      isReady
      command={`sessions create ${quotePositional(userId)} --level ${level} --show-token`}
      call={{ method: 'POST', path: '/_iam/sessions', body }}
      changes={userQueries}
      send={async ({ control }) => {
        const { accessToken: value, expiresIn } = await unwrap(control.POST('/sessions', { body: body as never }));
        const note = `At ${level}, valid for ${formatMinutes(Number(expiresIn))}.`;
        return { subject: { kind: 'user', id: userId, name: userName }, secret: { kind: 'token', value }, note };
      }}
    >
      <NativeSelect
        label="Level"
        description={levels[level]}
        data={Object.keys(levels)}
        value={level}
        onChange={({ currentTarget }) => setLevel(currentTarget.value as typeof level)}
      />
    </SecretAction>
  );
}

function formatMinutes(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
