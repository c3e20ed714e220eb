/** One customer: a business or a user. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { formatTime } from '../../components/server-time.tsx';
import { ObjectLink } from '../groups/group-link.tsx';
import type { CustomerRecord } from './customer-list.tsx';

export function CustomerPage({ customerId }: { readonly customerId: string }) {
  const { control } = useConsole();
  const query = useQuery({
    queryKey: ['customers', 'one', customerId],
    queryFn: ({ signal }) => unwrap(control.GET('/customers/{id}', { params: { path: { id: customerId } }, signal })),
  });
  const customer = query.data;
  return (
    <ObjectPage
      list={{ path: '/customers', title: 'All customers' }}
      title={customer?.name ?? `Customer ${customerId}`}
      query={query}
    >
      {customer === undefined ? undefined : <CustomerFacts customer={customer} />}
      <Equivalents
        command={`customers get ${quotePositional(customerId)}`}
        call={{ path: `/_iam/customers/${encodeURIComponent(customerId)}` }}
      />
    </ObjectPage>
  );
}

function CustomerFacts({ customer }: { readonly customer: CustomerRecord }) {
  const { customerId, document, businessId, userId, createdAt } = customer;
  return (
    <>
      <ObjectFacts
        label="Customer"
        facts={{
          Number: customerId,
          Document: document,
          Business: businessId === undefined ? undefined : <ObjectLink page="/businesses" id={businessId} />,
          User: userId === undefined ? undefined : <ObjectLink page="/users" id={userId} />,
          Created: formatTime(createdAt),
        }}
      />
      <Text size="sm" c="dimmed">
        The interface has no operation that edits or deletes a customer.
      </Text>
    </>
  );
}
