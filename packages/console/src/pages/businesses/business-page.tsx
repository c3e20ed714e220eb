/** One business: its customer, its corporate group, its groups, and the roles that all its users have. */
import { Text } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useRead } from '../../api/use-read.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { RoleChips } from '../../components/object/role-chip.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { PageSection } from '../../components/section.tsx';
import { ServerTime } from '../../components/server-time.tsx';
import { NamedSubject, Subject } from '../../components/subject.tsx';
import { buildHistoryTab } from '../audit/history.tsx';
import { MemberGroups } from '../groups/members/member-groups.tsx';
import { JoinCorporateGroup } from '../organizations/corporate-group-businesses.tsx';
import { organizationQueries } from '../organizations/corporate-groups.ts';

type ShownBusiness = ControlData<'/businesses/{id}'>;

export function BusinessPage({ businessId }: { readonly businessId: string }) {
  const read: ApiRequest<ShownBusiness> = ({ control }, signal) =>
    control.GET('/businesses/{id}', { params: { path: { id: businessId } }, signal });
  const query = useRead(['businesses', 'one', businessId], read);
  return (
    <ObjectPage
      list={{ path: '/businesses', title: 'All businesses' }}
      title="Business"
      nameOf={({ businessId: id, businessName: name }) => ({ id, name })}
      query={query}
      command={`businesses get ${quotePositional(businessId)}`}
      call={read}
      renderActions={(business) =>
        business.corporateGroupId === undefined ? <JoinCorporateGroup business={business} /> : undefined
      }
      listTabs={(business) => [
        { name: 'access', title: 'Access', render: () => <BusinessAccess business={business} /> },
        buildHistoryTab('business', business.businessId),
      ]}
    >
      {(business) => (
        <>
          <BusinessFacts business={business} />
          <Text size="sm" c="dimmed">
            The interface has no operation that edits or deletes a business.
          </Text>
        </>
      )}
    </ObjectPage>
  );
}

function BusinessAccess({ business }: { readonly business: ShownBusiness }) {
  const { effectiveRoles, effectiveRoleCount } = business;
  return (
    <>
      <BusinessGroups business={business} />
      <PageSection
        title={`Effective roles (${effectiveRoleCount})`}
        emptyText={effectiveRoleCount === 0 ? 'No roles from groups.' : undefined}
      >
        <Text size="sm">All users of the business have them through its groups.</Text>
        <RoleChips roles={effectiveRoles} total={effectiveRoleCount} />
      </PageSection>
    </>
  );
}

function BusinessFacts({ business }: { readonly business: ShownBusiness }) {
  const { customerId, corporateGroupId, createdAt } = business;
  return (
    <ObjectFacts
      label="Business"
      facts={{
        Document: business.document,
        Customer: customerId === undefined ? undefined : <NamedSubject kind="customer" id={String(customerId)} />,
        'Corporate group':
          corporateGroupId === undefined ? (
            'None'
          ) : (
            <Subject kind="corporateGroup" id={corporateGroupId} name={business.corporateGroupName} />
          ),
        Organization: business.organizationId,
        'Business unit': business.businessUnitId,
        Created: createdAt === undefined ? undefined : <ServerTime at={createdAt} />,
      }}
    />
  );
}

function BusinessGroups({ business }: { readonly business: ShownBusiness }) {
  const { businessId, businessName, groups, groupCount } = business;
  return (
    <MemberGroups
      member={{ kind: 'business', id: businessId, name: businessName }}
      groups={groups}
      groupCount={groupCount}
      emptyText="In no group."
      addNote="All users of the business get the roles of the group."
      removeNote="All users of the business lose the roles that only this group gives them, with their next request."
      changes={organizationQueries}
    />
  );
}
