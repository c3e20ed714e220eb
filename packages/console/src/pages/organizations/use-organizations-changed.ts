/** After a write about businesses, customers or corporate groups, which show parts of each other. */
import { useChanged } from '../../api/use-changed.ts';

export function useOrganizationsChanged(): () => Promise<void> {
  return useChanged('businesses', 'customers', 'corporate-groups', 'groups', 'users');
}
