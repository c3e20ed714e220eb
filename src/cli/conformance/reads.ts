/** Reads of entities that the deployment has. Only declared types are compared, and no value is printed. */
import type { ConformanceCase, Scenario } from './case.ts';

type ReadOptions = Pick<ConformanceCase, 'save' | 'request'> & { readonly name?: string };

function read(operation: string, { name = 'reads', request, save }: ReadOptions): ConformanceCase {
  return {
    operation,
    name,
    kind: 'read',
    isSuccess: true,
    existing: true,
    request,
    ...(save ? { save } : {}),
  };
}

/** The first page of one entry, and the page after it. */
function readPages(operation: string, params: Record<string, string>, save: Record<string, string>): ConformanceCase[] {
  const variable = `${operation.replace(/\W/g, '_')}_next`;
  return [
    read(operation, {
      name: 'first page',
      request: { params, query: [['limit', '1']] },
      save: { ...save, [variable]: 'link' },
    }),
    read(operation, {
      name: 'next page',
      request: {
        params,
        query: [
          ['limit', '1'],
          ['after', `{{${variable}}}`],
        ],
      },
    }),
  ];
}

/** An entity, and the same with its ETag. */
function readEntity(operation: string, params: Record<string, string>): ConformanceCase[] {
  const variable = `${operation.replace(/\W/g, '_')}_etag`;
  return [
    read(operation, { request: { params }, save: { [variable]: 'header.etag' } }),
    read(operation, { name: 'unchanged since', request: { params, headers: { 'if-none-match': `{{${variable}}}` } } }),
  ];
}

const group = { groupId: '{{existingGroupId}}' };

/** Returns the scenarios; each finds an entity in a list first. */
export function listReadScenarios(): Scenario[] {
  const byGroup: Readonly<Record<string, string>> = {
    'business-accesses.list-businesses': 'existingBusinessId: businessId',
    'service-accesses.list-services': 'existingServiceId: serviceId',
  };
  return [
    {
      name: 'read groups',
      cases: [
        ...readPages('groups.list', {}, { existingGroupId: 'body.0.groupId' }),
        read('groups.list', {
          name: 'without a match',
          request: { query: [['name', '{{run}}-unknown']] },
        }),
        ...readEntity('groups.get', group),
        ...Object.entries(byGroup).flatMap(([id, saved]) => {
          const [variable = '', field = ''] = saved.split(': ');
          return readPages(id, group, { [variable]: `body.0.${field}` });
        }),
        ...readPages(
          'user-accesses.list-users',
          { groupName: '{{existingGroupId}}' },
          { existingUserId: 'body.0.userId' },
        ),
        ...readPages(
          'user-accesses.list-business-users',
          { groupName: '{{existingGroupId}}', businessId: '{{existingBusinessId}}' },
          {},
        ),
        read('business-accesses.list-business-roles', {
          request: { params: { businessId: '{{existingBusinessId}}' } },
        }),
        read('service-accesses.list-service-roles', { request: { params: { serviceId: '{{existingServiceId}}' } } }),
        read('user-accesses.list-user-roles', { request: { params: { userId: '{{existingUserId}}' } } }),
        ...readEntity('user-identities.get', { id: '{{existingUserId}}' }),
      ],
    },
    {
      name: 'read corporate groups',
      cases: [
        ...readPages('corporate-groups.list', {}, { existingCorporateGroupId: 'body.0.corporateGroupId' }),
        ...readEntity('corporate-groups.get', { corporateGroupId: '{{existingCorporateGroupId}}' }),
      ],
    },
    { name: 'read API keys', cases: readPages('api-key.list', {}, {}) },
    { name: 'read keys', cases: [read('keys.get', { request: { credentials: { kind: 'none' } } })] },
    { name: 'read own factors', cases: [read('user-identities.factors.list', { request: {} })] },
  ];
}
