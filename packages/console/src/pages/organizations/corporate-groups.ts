/** What pages read of corporate groups and send. The interface replaces a corporate group as a whole. */
import { useQuery } from '@tanstack/react-query';
import type { components } from '#service-api';
import { useConsole } from '../../api/console-context.ts';
import { unwrapResponse } from '../../api/errors.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { quoteShellArgument } from '../../components/equivalents.tsx';

export type CorporateGroupRecord = components['schemas']['CorporateGroup'];

/** Queries about businesses, customers and corporate groups, which show parts of each other. */
export const organizationQueries = ['businesses', 'customers', 'corporate-groups', 'groups', 'users'];

/** With its version, so that a parallel change is not overwritten. */
export interface VersionedCorporateGroup {
  readonly group: CorporateGroupRecord;
  readonly etag: string | undefined;
}

export function useCorporateGroup(corporateGroupId: string | undefined) {
  const { service } = useConsole();
  return useQuery({
    queryKey: ['corporate-groups', 'one', corporateGroupId],
    enabled: corporateGroupId !== undefined,
    queryFn: async ({ signal }): Promise<VersionedCorporateGroup> => {
      const params = { path: { corporateGroupId: corporateGroupId ?? '' } };
      const { data, response } = await unwrapResponse(
        service.GET('/corporate-groups/{corporateGroupId}', { params, signal }),
      );
      return { group: data, etag: response.headers.get('etag') ?? undefined };
    },
  });
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

/** The command and the request that replace a corporate group. */
export function replaceCorporateGroup(
  { group: { corporateGroupId }, etag }: VersionedCorporateGroup,
  fields: CorporateGroupFields,
): { command: string; request: ApiRequest } {
  const params = { path: { corporateGroupId }, header: { 'If-Match': etag } };
  const body = toCorporateGroupBody(fields);
  return {
    command: `corporate-groups update ${quoteShellArgument(corporateGroupId)}${formatCorporateGroupOptions(fields)}`,
    request: ({ service }) => service.PUT('/corporate-groups/{corporateGroupId}', { params, body }),
  };
}
