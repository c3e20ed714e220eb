/** Changes a client. Only what was edited is sent, so that the other fields stay as they are. */
import { Checkbox, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { idTokenAlgorithms } from '../../../../../src/contract/signing-algorithms.ts';
import type { ControlData } from '../../api/clients.ts';
import type { Versioned } from '../../api/use-versioned.ts';
import { nameOfClient } from '../../components/client-owner.tsx';
import { EditAction } from '../../components/edit/edit-action.tsx';
import { useEditForm } from '../../components/edit/use-edit-form.ts';
import { quotePositional, quoteShellArgument } from '../../components/equivalents.tsx';

type ShownClient = ControlData<'/clients/{id}'>;

const optionNames = {
  appId: '--app-id',
  serviceAccountId: '--service-account-id',
  scope: '--scope',
  grantTypes: '--grant-type',
  redirectURIs: '--redirect-uri',
  browserLogin: '--browser-login',
  postLogoutRedirectURIs: '--logout-uri',
  requirePkce: '--require-pkce',
  requirePushedAuthorizationRequests: '--require-par',
  idTokenAlg: '--id-token-alg',
  audiences: '--audience',
  authorities: '--authority',
  organizationId: '--organization-id',
  businessUnitId: '--business-unit-id',
  factorVisibility: '--factor-visibility',
} as const;

type FieldName = keyof typeof optionNames;

const visibilities: readonly { readonly value: ShownClient['factorVisibility']; readonly label: string }[] = [
  { value: 'CREDENTIALS_ONLY', label: 'Main contacts' },
  { value: 'MARKED_RESOURCES', label: 'Main contacts and marked ones' },
  { value: 'UNRESTRICTED', label: 'All contacts' },
];

export function EditClient({ current: { value: client, etag } }: { readonly current: Versioned<ShownClient> }) {
  const { clientId } = client;
  const edit = useEditForm({ value: readFields(client), etag });
  const { form, changed } = edit;
  const params = { path: { id: clientId }, header: { 'If-Match': edit.etag } };
  const body = Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value === '' ? null : value]));
  const options = Object.entries(changed).map(([name, value]) => formatOption(name as FieldName, value));
  return (
    <EditAction
      edit={edit}
      object={{ entity: 'client', id: clientId }}
      operation="PATCH /_iam/clients/{id}"
      title={`Edit ${nameOfClient(client)}`}
      isReady={form.values.appId !== ''}
      command={['clients update', ...options, quotePositional(clientId)].join(' ')}
      request={({ control }) => control.PATCH('/clients/{id}', { params, body })}
      changes={['clients', 'api-keys', 'groups']}
      done={{ text: 'Saved:', subject: { kind: 'client', id: clientId, name: nameOfClient(client) } }}
    >
      <TextInput label="Application" required {...form.getInputProps('appId')} />
      {client.serviceAccountId === undefined && (
        <TextInput
          label="Service account"
          description="So that the client can be in groups; it cannot be changed later"
          {...form.getInputProps('serviceAccountId')}
        />
      )}
      <TagsInput label="Scopes" clearable {...form.getInputProps('scope')} />
      <TagsInput label="Grant types" clearable {...form.getInputProps('grantTypes')} />
      <Checkbox
        label="Browser logins"
        description="With the grant type authorization_code or that of devices"
        {...form.getInputProps('browserLogin', { type: 'checkbox' })}
      />
      <TagsInput label="Redirect URIs" clearable {...form.getInputProps('redirectURIs')} />
      <TagsInput label="Redirect URIs after logout" clearable {...form.getInputProps('postLogoutRedirectURIs')} />
      <Checkbox
        label="Browser logins require PKCE"
        description="With S256 (RFC 7636)"
        {...form.getInputProps('requirePkce', { type: 'checkbox' })}
      />
      <Checkbox
        label="Browser logins require a pushed request"
        description="At /oauth2/par (RFC 9126)"
        {...form.getInputProps('requirePushedAuthorizationRequests', { type: 'checkbox' })}
      />
      <NativeSelect
        label="Signature algorithm of ID tokens"
        data={[...idTokenAlgorithms]}
        {...form.getInputProps('idTokenAlg')}
      />
      <TagsInput
        label="Audiences"
        description="Of its tokens, besides the issuer"
        clearable
        {...form.getInputProps('audiences')}
      />
      <TagsInput
        label="Own authorities"
        description="Besides the roles that groups grant"
        clearable
        {...form.getInputProps('authorities')}
      />
      <TextInput label="Organization" {...form.getInputProps('organizationId')} />
      <TextInput label="Business unit" {...form.getInputProps('businessUnitId')} />
      <NativeSelect
        label="MFA contacts of users that it sees"
        data={[...visibilities]}
        {...form.getInputProps('factorVisibility')}
      />
    </EditAction>
  );
}

function readFields(client: ShownClient) {
  const { appId, scope, grantTypes, redirectURIs, postLogoutRedirectURIs, audiences, authorities } = client;
  const { serviceAccountId = '', organizationId = '', businessUnitId = '', factorVisibility } = client;
  const { browserLogin = client.party === '1STPARTY', requirePkce = true, idTokenAlg = 'RS256' } = client;
  const { requirePushedAuthorizationRequests = false } = client;
  const lists = { scope, grantTypes, redirectURIs, postLogoutRedirectURIs, audiences, authorities };
  const login = { browserLogin, requirePkce, requirePushedAuthorizationRequests, idTokenAlg };
  return { appId, serviceAccountId, ...lists, ...login, organizationId, businessUnitId, factorVisibility };
}

function formatOption(name: FieldName, value: string | boolean | readonly string[]): string {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return `--set=${name}=`;
  return [value]
    .flat()
    .map((each) => `${optionNames[name]}=${quoteShellArgument(String(each))}`)
    .join(' ');
}
