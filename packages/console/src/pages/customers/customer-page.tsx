/** One customer: a business or a user. */
import { Text } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useRead } from '../../api/use-read.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectLink } from '../../components/object-link.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { formatTime } from '../../components/server-time.tsx';

type ShownCustomer = ControlData<'/customers/{id}'>;

export function CustomerPage({ customerId }: { readonly customerId: string }) {
  const read: ApiRequest<ShownCustomer> = ({ control }, signal) =>
    control.GET('/customers/{id}', { params: { path: { id: customerId } }, signal });
  const query = useRead(['customers', 'one', customerId], read);
  return (
    <ObjectPage
      list={{ path: '/customers', title: 'All customers' }}
      title={query.data?.name ?? `Customer ${customerId}`}
      query={query}
      command={`customers get ${quotePositional(customerId)}`}
      call={read}
    >
      {(customer) => <CustomerFacts customer={customer} />}
    </ObjectPage>
  );
}

function CustomerFacts({ customer }: { readonly customer: ShownCustomer }) {
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
