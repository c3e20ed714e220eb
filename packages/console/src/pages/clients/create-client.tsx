/** Creates a client and shows its secret once. */
import { TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { paths } from '#service-api';
import { unwrap } from '../../api/errors.ts';
import { quoteShellArgument } from '../../components/equivalents.tsx';
import { SecretAction } from '../../components/secrets/secret-action.tsx';

type Created = paths['/client-identities']['post']['responses'][201]['content']['application/json'];

const emptyFields = {
  appId: '',
  serviceAccountId: '',
  redirectURI: '',
  scope: [] as string[],
  grantTypes: [] as string[],
};

const optionNames: Readonly<Record<keyof typeof emptyFields, string>> = {
  appId: '--app-id',
  serviceAccountId: '--service-account-id',
  redirectURI: '--redirect-uri',
  scope: '--scope',
  grantTypes: '--grant-type',
};

export function CreateClient() {
  const navigate = useNavigate();
  const form = useForm({ initialValues: emptyFields });
  const given = Object.entries(form.values).filter(([, value]) => value.length > 0);
  const body = Object.fromEntries(given);
  return (
    <SecretAction
      operation="client-identities.create"
      label="Create a client"
      isPrimary
      title="Create a client"
      confirmLabel="Create the client"
      doneLabel="Created"
      secretLabel="Client secret"
      form={form}
      isReady={form.values.appId !== ''}
      command={`clients create${formatOptions(given)}`}
      call={{ method: 'POST', path: '/security/iam/v1/client-identities', body: { appId: 'APPLICATION', ...body } }}
      changes={['clients']}
      send={async ({ service }) => {
        const created = await unwrap(service.POST('/client-identities', { body: body as never }));
        const { clientId, clientSecret } = created as Created;
        return {
          subject: { kind: 'client', id: clientId, name: form.values.serviceAccountId || form.values.appId },
          secret: { kind: 'client', clientId, value: clientSecret },
        };
      }}
      onClose={(id) => {
        form.reset();
        void navigate({ to: '/clients/$', params: { _splat: id } as never });
      }}
    >
      <TextInput label="Application" required {...form.getInputProps('appId')} />
      <TextInput
        label="Service account"
        description="Its id, to which groups grant roles: without one, the client can be in no group"
        {...form.getInputProps('serviceAccountId')}
      />
      <TagsInput label="Scopes" clearable {...form.getInputProps('scope')} />
      <TagsInput
        label="Grant types"
        description="Without one: client_credentials"
        clearable
        {...form.getInputProps('grantTypes')}
      />
      <TextInput label="Redirect URI" type="url" {...form.getInputProps('redirectURI')} />
    </SecretAction>
  );
}

function formatOptions(given: readonly (readonly [string, string | readonly string[]])[]): string {
  const options = given.map(([name, value]) => {
    const words = [value].flat().map(quoteShellArgument);
    return ` ${optionNames[name as keyof typeof emptyFields]} ${words.join(' ')}`;
  });
  return given.some(([name]) => name === 'appId') ? options.join('') : ` --app-id APPLICATION${options.join('')}`;
}
