/** What pages read of corporate groups and send. The interface replaces a corporate group as a whole. */
import type { components } from '#service-api';
import type { ApiRequest } from '../../api/requests.ts';
import { useVersioned, type Versioned } from '../../api/use-versioned.ts';
import { quoteShellArgument } from '../../components/equivalents.tsx';

export type CorporateGroupRecord = components['schemas']['CorporateGroup'];

/** Queries about businesses, customers and corporate groups, which show parts of each other. */
export const organizationQueries = ['businesses', 'customers', 'corporate-groups', 'groups', 'users'];

export type VersionedCorporateGroup = Versioned<CorporateGroupRecord>;

export function useCorporateGroup(corporateGroupId: string | undefined) {
  const params = { path: { corporateGroupId: corporateGroupId ?? '' } };
  return useVersioned<CorporateGroupRecord>(
    ['corporate-groups', 'one', corporateGroupId],
    ({ service }, signal) => service.GET('/corporate-groups/{corporateGroupId}', { params, signal }),
    { enabled: corporateGroupId !== undefined },
  );
}

export interface CorporateGroupFields {
  readonly corporateGroupName: string;
  readonly organizationId: string;
  readonly businesses: readonly string[];
}

export function toCorporateGroupFields(group: CorporateGroupRecord): CorporateGroupFields {
  const { corporateGroupName, organizationId = '', businesses } = group;
  return { corporateGroupName, organizationId, businesses: businesses.map(({ businessId }) => businessId) };
}

export function toCorporateGroupBody({ corporateGroupName, organizationId, businesses }: CorporateGroupFields) {
  return {
    corporateGroupName,
    ...(organizationId === '' ? {} : { organizationId }),
    businesses: businesses.map((businessId) => ({ businessId })),
  };
}

/** The options of the commands that create and replace a corporate group. */
export function formatCorporateGroupOptions({ corporateGroupName, organizationId, businesses }: CorporateGroupFields) {
  const name = ` --corporate-group-name ${quoteShellArgument(corporateGroupName || 'NAME')}`;
  const organization = organizationId === '' ? '' : ` --organization-id ${quoteShellArgument(organizationId)}`;
  return `${name}${organization}${businesses.length === 0 ? '' : ` --business ${quoteShellArgument(businesses.join(','))}`}`;
}

/** The command and the request that replace a corporate group, in the version that is replaced. */
export function replaceCorporateGroup(
  { value: { corporateGroupId }, etag }: VersionedCorporateGroup,
  fields: CorporateGroupFields,
) {
  const params = { path: { corporateGroupId }, header: { 'If-Match': etag } };
  const body = toCorporateGroupBody(fields);
  const request: ApiRequest = ({ service }) => service.PUT('/corporate-groups/{corporateGroupId}', { params, body });
  return {
    edited: { entity: 'corporateGroup' as const, id: corporateGroupId, etag },
    command: `corporate-groups update ${quoteShellArgument(corporateGroupId)}${formatCorporateGroupOptions(fields)}`,
    request,
  };
}
