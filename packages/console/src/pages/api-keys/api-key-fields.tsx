/** The application and the client of an API key. */
import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { quoteShellArgument } from '../../components/equivalents.tsx';
import { EntitySelect, toSelectProps } from '../groups/data/entity-select.tsx';

interface Assignment {
  readonly appId: string;
  readonly clientId: string;
}

export function ApiKeyFields({ form }: { readonly form: UseFormReturnType<Assignment> }) {
  return (
    <>
      <TextInput label="Application" description="That uses the key" required {...form.getInputProps('appId')} />
      <EntitySelect
        label="Client"
        description="Whose rights the key has"
        kind="clients"
        {...toSelectProps(form, 'clientId')}
      />
    </>
  );
}

/** The options of the command. */
export function formatAssignment({ appId, clientId }: Assignment): string {
  return `--app-id ${quoteShellArgument(appId || 'APPLICATION')} --client-id ${quoteShellArgument(clientId || 'CLIENT_ID')}`;
}
