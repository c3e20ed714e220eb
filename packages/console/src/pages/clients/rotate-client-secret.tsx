/** Replaces the secret of a client. */
import type { ControlData } from '../../api/clients.ts';
import { nameOfClient } from '../../components/client-owner.tsx';
import { RotateAction } from '../../components/secrets/rotate-action.tsx';

export function RotateClientSecret({ client }: { readonly client: ControlData<'/clients/{id}'> }) {
  const { clientId, previousSecretEndsAt } = client;
  return (
    <RotateAction
      operation="POST /_iam/clients/{id}/rotate-secret"
      noun="secret"
      name={nameOfClient(client)}
      secretLabel="Client secret"
      previousEndsAt={previousSecretEndsAt}
      atOnceText="The previous secret is rejected at once, and so are the access tokens and sessions that the client obtained for itself. Sessions of users stay."
      command="clients rotate-secret"
      id={clientId}
      changes={['clients']}
      toRequest={(body) =>
        ({ control }) =>
          control.POST('/clients/{id}/rotate-secret', { params: { path: { id: clientId } }, body })
        }
      toResult={({ clientSecret }) => ({
        subject: { kind: 'client', id: clientId, name: nameOfClient(client) },
        secret: { kind: 'client', clientId, value: clientSecret },
      })}
    />
  );
}
