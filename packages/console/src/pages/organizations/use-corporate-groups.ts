/** What pages read of corporate groups and send. The interface replaces a corporate group as a whole. */
import { useQuery } from '@tanstack/react-query';
import type { components } from '#service-api';
import type { ServiceClient } from '../../api/clients.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap, unwrapResponse } from '../../api/errors.ts';
import { type HttpCall, quoteShellArgument } from '../../components/equivalents.tsx';
import type { SelectEntry } from '../groups/data/entity-select.tsx';

export type CorporateGroupRecord = components['schemas']['CorporateGroup'];
export const corporateGroupsPath = '/security/iam/v1/corporate-groups';

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

/** The first corporate groups, or the one with a name: the interface has no other search. */
export function useCorporateGroupReader() {
  const { service } = useConsole();
  return async (name: string | undefined, signal: AbortSignal): Promise<readonly SelectEntry[]> => {
    const query = { limit: 20, ...(name === undefined ? {} : { name }) };
    const groups = await unwrap(service.GET('/corporate-groups', { params: { query }, signal }));
    return groups.map(({ corporateGroupId, corporateGroupName }) => ({
      value: corporateGroupId,
      label: corporateGroupName,
    }));
  };
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

export function replaceCorporateGroup(
  service: ServiceClient,
  { group: { corporateGroupId }, etag }: VersionedCorporateGroup,
  fields: CorporateGroupFields,
) {
  const header = etag === undefined ? {} : { 'If-Match': etag };
  const params = { path: { corporateGroupId }, header };
  return unwrap(service.PUT('/corporate-groups/{corporateGroupId}', { params, body: toCorporateGroupBody(fields) }));
}

/** The options of the commands that create and replace a corporate group. */
export function formatCorporateGroupOptions({ corporateGroupName, organizationId, businesses }: CorporateGroupFields) {
  const name = ` --corporate-group-name ${quoteShellArgument(corporateGroupName || 'NAME')}`;
  const organization = organizationId === '' ? '' : ` --organization-id ${quoteShellArgument(organizationId)}`;
  return `${name}${organization}${businesses.length === 0 ? '' : ` --business ${quoteShellArgument(businesses.join(','))}`}`;
}

/** The command and the call that replace a corporate group. */
export function formatReplacement(
  { group: { corporateGroupId }, etag }: VersionedCorporateGroup,
  fields: CorporateGroupFields,
): { command: string; call: HttpCall } {
  return {
    command: `corporate-groups update ${quoteShellArgument(corporateGroupId)}${formatCorporateGroupOptions(fields)}`,
    call: {
      method: 'PUT',
      path: `${corporateGroupsPath}/${encodeURIComponent(corporateGroupId)}`,
      headers: etag === undefined ? {} : { 'If-Match': etag },
      body: toCorporateGroupBody(fields),
    },
  };
}
