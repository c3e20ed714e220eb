/** Businesses: their customer, their corporate group, and the roles that all their users have. */
import { usePage } from '../../api/use-page.ts';
import { BusinessList } from './business-list.tsx';
import { BusinessPage } from './business-page.tsx';

export default function BusinessesPage() {
  const { rest } = usePage();
  if (rest !== undefined) return <BusinessPage key={rest} businessId={rest} />;
  return <BusinessList />;
}
