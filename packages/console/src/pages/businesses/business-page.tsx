/** One business: its customer, its corporate group, its groups, and the roles that all its users have. */
import { Code, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { paths } from '#control-api';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { PageSection } from '../../components/section.tsx';
import { formatTime } from '../../components/server-time.tsx';
import { GroupLink, ObjectLink } from '../groups/group-link.tsx';
import { JoinCorporateGroup } from '../organizations/corporate-group-businesses.tsx';
import { AddBusinessToGroup, RemoveBusinessFromGroup } from './business-groups.tsx';

type ShownBusiness = paths['/businesses/{id}']['get']['responses'][200]['content']['application/json'];

export function BusinessPage({ businessId }: { readonly businessId: string }) {
  const { control } = useConsole();
  const query = useQuery({
    queryKey: ['businesses', 'one', businessId],
    queryFn: ({ signal }) => unwrap(control.GET('/businesses/{id}', { params: { path: { id: businessId } }, signal })),
  });
  const business = query.data;
  return (
    <ObjectPage
      list={{ path: '/businesses', title: 'All businesses' }}
      title={business?.businessName ?? 'Business'}
      actions={
        business !== undefined && business.corporateGroupId === undefined ? (
          <JoinCorporateGroup businessId={business.businessId} />
        ) : undefined
      }
      query={query}
    >
      {business === undefined ? undefined : <BusinessSections business={business} />}
    </ObjectPage>
  );
}

function BusinessSections({ business }: { readonly business: ShownBusiness }) {
  const { businessId, effectiveRoles, effectiveRoleCount } = business;
  const hidden = effectiveRoleCount - effectiveRoles.length;
  return (
    <>
      <BusinessFacts business={business} />
      <Text size="sm" c="dimmed">
        The interface has no operation that edits or deletes a business.
      </Text>
      <BusinessGroups business={business} />
      <PageSection
        title={`Effective roles (${effectiveRoleCount})`}
        emptyText={effectiveRoleCount === 0 ? 'No roles from groups.' : undefined}
      >
        <Text size="sm">All users of the business have them through its groups.</Text>
        <Group gap="xs">
          {effectiveRoles.map((role) => (
            <Code key={role}>{role}</Code>
          ))}
          {hidden > 0 ? <Text size="sm">and {hidden} more</Text> : undefined}
        </Group>
      </PageSection>
      <Equivalents
        command={`businesses get ${quotePositional(businessId)}`}
        call={{ path: `/_iam/businesses/${encodeURIComponent(businessId)}` }}
      />
    </>
  );
}

function BusinessFacts({ business }: { readonly business: ShownBusiness }) {
  const { customerId, corporateGroupId, createdAt } = business;
  return (
    <ObjectFacts
      label="Business"
      facts={{
        Id: business.businessId,
        Document: business.document,
        Customer: customerId === undefined ? undefined : <ObjectLink page="/customers" id={String(customerId)} />,
        'Corporate group':
          corporateGroupId === undefined ? 'None' : <ObjectLink page="/corporate-groups" id={corporateGroupId} />,
        Organization: business.organizationId,
        'Business unit': business.businessUnitId,
        Created: createdAt === undefined ? undefined : formatTime(createdAt),
      }}
    />
  );
}

function BusinessGroups({ business: { businessId, groups, groupCount } }: { readonly business: ShownBusiness }) {
  const hidden = groupCount - groups.length;
  return (
    <PageSection
      title={`Groups (${groupCount})`}
      actions={<AddBusinessToGroup businessId={businessId} />}
      emptyText={groupCount === 0 ? 'In no group.' : undefined}
    >
      <List listStyleType="none" spacing={4}>
        {groups.map((group) => (
          <List.Item key={group.groupId}>
            <Group gap="xs">
              <GroupLink group={group} />
              <RemoveBusinessFromGroup businessId={businessId} group={group} />
            </Group>
          </List.Item>
        ))}
      </List>
      {hidden > 0 ? <Text size="sm">and {hidden} more</Text> : undefined}
    </PageSection>
  );
}
