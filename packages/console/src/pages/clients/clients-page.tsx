/** Clients: applications and services that log in with a secret. */
import { usePage } from '../../api/use-page.ts';
import { ClientDetail } from './client-detail.tsx';
import { ClientList } from './client-list.tsx';

export default function ClientsPage() {
  const { rest } = usePage();
  return rest === undefined ? <ClientList /> : <ClientDetail key={rest} clientId={rest} />;
}
