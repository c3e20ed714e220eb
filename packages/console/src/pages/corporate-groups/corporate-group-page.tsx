/** One corporate group and its businesses. */
import { Stack, Title } from '@mantine/core';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { type RowColumn, RowList } from '../../components/row-list.tsx';
import { ObjectLink } from '../groups/group-link.tsx';
import {
  AddBusinessToCorporateGroup,
  RemoveBusinessFromCorporateGroup,
} from '../organizations/corporate-group-businesses.tsx';
import {
  corporateGroupsPath,
  useCorporateGroup,
  type VersionedCorporateGroup,
} from '../organizations/use-corporate-groups.ts';
import { DeleteCorporateGroup, EditCorporateGroup } from './corporate-group-actions.tsx';

export function CorporateGroupPage({ corporateGroupId }: { readonly corporateGroupId: string }) {
  const query = useCorporateGroup(corporateGroupId);
  const current = query.data;
  return (
    <ObjectPage
      list={{ path: '/corporate-groups', title: 'All corporate groups' }}
      title={current?.group.corporateGroupName ?? 'Corporate group'}
      actions={
        current === undefined ? undefined : (
          <>
            <EditCorporateGroup current={current} />
            <AddBusinessToCorporateGroup current={current} />
            <DeleteCorporateGroup current={current} />
          </>
        )
      }
      query={query}
    >
      {current === undefined ? undefined : <CorporateGroupSections current={current} />}
      <Equivalents
        command={`corporate-groups get ${quotePositional(corporateGroupId)}`}
        call={{ path: `${corporateGroupsPath}/${encodeURIComponent(corporateGroupId)}` }}
      />
    </ObjectPage>
  );
}

function CorporateGroupSections({ current }: { readonly current: VersionedCorporateGroup }) {
  const { corporateGroupId, organizationId, businesses } = current.group;
  const columns: RowColumn<{ readonly businessId: string }>[] = [
    {
      title: 'Business',
      width: 'minmax(12rem, 1fr)',
      render: ({ businessId }) => <ObjectLink page="/businesses" id={businessId} />,
    },
    {
      title: 'Actions',
      width: '7rem',
      render: ({ businessId }) => <RemoveBusinessFromCorporateGroup current={current} businessId={businessId} />,
    },
  ];
  return (
    <>
      <ObjectFacts
        label="Corporate group"
        facts={{
          Id: corporateGroupId,
          Organization: organizationId,
        }}
      />
      <Stack gap="xs" component="section" aria-label="Businesses">
        <Title order={2} size="h4">
          Businesses ({businesses.length.toLocaleString('en')})
        </Title>
        {businesses.length === 0 ? (
          <EmptyState title="No businesses">Add a business that is in no other corporate group.</EmptyState>
        ) : (
          <RowList
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
