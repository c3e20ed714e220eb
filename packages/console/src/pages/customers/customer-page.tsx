/** One customer: a business or a user. */
import { Text } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useRead } from '../../api/use-read.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { ServerTime } from '../../components/server-time.tsx';
import { Subject } from '../../components/subject.tsx';

type ShownCustomer = ControlData<'/customers/{id}'>;

export function CustomerPage({ customerId }: { readonly customerId: string }) {
  const read: ApiRequest<ShownCustomer> = ({ control }, signal) =>
    control.GET('/customers/{id}', { params: { path: { id: customerId } }, signal });
  const query = useRead(['customers', 'one', customerId], read);
  return (
    <ObjectPage
      list={{ path: '/customers', title: 'All customers' }}
      title="Customer"
      nameOf={({ customerId: id, name = `Customer ${id}` }) => ({ id: String(id), name })}
      query={query}
      command={`customers get ${quotePositional(customerId)}`}
      call={read}
    >
      {(customer) => <CustomerFacts customer={customer} />}
    </ObjectPage>
  );
}

function CustomerFacts({ customer }: { readonly customer: ShownCustomer }) {
  const { document, businessId, createdAt } = customer;
  return (
    <>
      <ObjectFacts
        label="Customer"
        facts={{
          Document: document,
          [businessId === undefined ? 'User' : 'Business']: <CustomerSubject customer={customer} />,
          Created: <ServerTime at={createdAt} />,
        }}
      />
      <Text size="sm" c="dimmed">
        The interface has no operation that edits or deletes a customer.
      </Text>
    </>
  );
}

/** The user or the business that is the customer. A business gives its name to the customer. */
function CustomerSubject({ customer }: { readonly customer: ShownCustomer }) {
  const { businessId, userId, userName, name } = customer;
  if (userId !== undefined) return <Subject kind="user" id={userId} name={userName} />;
  return businessId === undefined ? undefined : <Subject kind="business" id={businessId} name={name} />;
}
