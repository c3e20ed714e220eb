/** Who owns a client, and what it is called. */
import type { ControlData } from '../api/clients.ts';
import { Subject } from './subject.tsx';

type ListedClient = ControlData<'/clients'>[number];

/** The name by which the server shows it beside its id. */
export function nameOfClient({ serviceAccountId, appId }: Pick<ListedClient, 'serviceAccountId' | 'appId'>): string {
  return serviceAccountId ?? appId;
}

export function OwnerOfClient({ client }: { readonly client: ListedClient }) {
  const { userId, businessId, ownerClientId } = client;
  if (userId !== undefined) return <Subject kind="user" id={userId} name={client.userName} />;
  if (businessId !== undefined) return <Subject kind="business" id={businessId} name={client.businessName} />;
  if (ownerClientId !== undefined) return <Subject kind="client" id={ownerClientId} name={client.ownerClientName} />;
  return undefined;
}
