/** One corporate group and its businesses. */
import { Stack, Title } from '@mantine/core';
import { EmptyState } from '../../components/empty-state.tsx';
import { quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { type RowColumn, RowList } from '../../components/row-list.tsx';
import { NamedSubject } from '../../components/subject.tsx';
import {
  AddBusinessToCorporateGroup,
  RemoveBusinessFromCorporateGroup,
} from '../organizations/corporate-group-businesses.tsx';
import { useCorporateGroup, type VersionedCorporateGroup } from '../organizations/corporate-groups.ts';
import { DeleteCorporateGroup, EditCorporateGroup } from './corporate-group-actions.tsx';

export function CorporateGroupPage({ corporateGroupId }: { readonly corporateGroupId: string }) {
  const query = useCorporateGroup(corporateGroupId);
  return (
    <ObjectPage
      list={{ path: '/corporate-groups', title: 'All corporate groups' }}
      title="Corporate group"
      nameOf={({ value: { corporateGroupId: id, corporateGroupName: name } }) => ({ id, name })}
      query={query}
      command={`corporate-groups get ${quotePositional(corporateGroupId)}`}
      call={({ service }) =>
        service.GET('/corporate-groups/{corporateGroupId}', { params: { path: { corporateGroupId } } })
      }
      renderActions={(current) => (
        <>
          <EditCorporateGroup current={current} />
          <AddBusinessToCorporateGroup current={current} />
          <DeleteCorporateGroup current={current} />
        </>
      )}
    >
      {(current) => <CorporateGroupSections current={current} />}
    </ObjectPage>
  );
}

function CorporateGroupSections({ current }: { readonly current: VersionedCorporateGroup }) {
  const { organizationId, businesses } = current.value;
  const columns: RowColumn<{ readonly businessId: string }>[] = [
    {
      title: 'Business',
      width: 'minmax(12rem, 1fr)',
      render: ({ businessId }) => <NamedSubject kind="business" id={businessId} />,
    },
    {
      title: 'Actions',
      width: '7rem',
      phone: 'action',
      render: ({ businessId }) => <RemoveBusinessFromCorporateGroup current={current} businessId={businessId} />,
    },
  ];
  return (
    <>
      <ObjectFacts label="Corporate group" facts={{ Organization: organizationId }} />
      <Stack gap="xs" component="section" aria-label="Businesses">
        <Title order={2} size="h4">
          Businesses ({businesses.length.toLocaleString('en')})
        </Title>
        {businesses.length === 0 ? (
          <EmptyState icon="businesses" title="No businesses yet">
            Add a business that is in no other corporate group.
          </EmptyState>
        ) : (
          <RowList
            isCounted={false}
            label="Businesses of the corporate group"
            rows={businesses}
            columns={columns}
            keyOf={({ businessId }) => businessId}
          />
        )}
      </Stack>
    </>
  );
}
