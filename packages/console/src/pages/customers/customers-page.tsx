/** Customers: businesses and users by contract. */
import { usePage } from '../../api/use-page.ts';
import { CustomerList } from './customer-list.tsx';
import { CustomerPage } from './customer-page.tsx';

export default function CustomersPage() {
  const { rest } = usePage();
  if (rest !== undefined) return <CustomerPage key={rest} customerId={rest} />;
  return <CustomerList />;
}
