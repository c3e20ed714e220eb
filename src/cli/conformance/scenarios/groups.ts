/** Scenarios that create groups and corporate groups, and delete them. */
import type { Scenario, Undo } from '../case.ts';
import { unknownId } from '../samples.ts';
import { refusedStep, step } from './steps.ts';

const role = 'IAM_CONFORMANCE';
const own = { groupId: '{{groupId}}' };
const base = { groupId: '{{baseGroupId}}' };

/** The undo of a group: its name identifies it until its id is known. */
export function undoGroup(name: string, variable: string): Undo {
  return {
    entity: `group {{run}}-${name}`,
    operation: 'groups.remove',
    params: { groupId: `{{${variable}}}` },
    fallback: { [variable]: `{{run}}-${name}` },
  };
}

/** Creates, changes and deletes two groups of an organization of their own. */
export const groupScenario: Scenario = {
  name: 'groups',
  cases: [
    step(
      'groups.create',
      'creates',
      { body: { groupName: '{{run}}-group', organizationId: '{{run}}', roles: [role] } },
      {
        save: { groupId: 'body.groupId', groupName: 'text:{{run}}-group' },
        undo: undoGroup('group', 'groupId'),
      },
    ),
    refusedStep('groups.create', 'name is taken', { body: { groupName: '{{groupName}}' } }),
    refusedStep(
      'groups.create',
      'valid with an unknown field',
      { body: { groupName: '{{run}}-extra', iamConformanceUnknown: true } },
      { undo: undoGroup('extra', 'extraGroupId') },
    ),
    refusedStep(
      'groups.create',
      'unknown dependency',
      { body: { groupName: '{{run}}-dependent', dependencies: [{ groupName: '{{run}}-unknown' }] } },
      { undo: undoGroup('dependent', 'dependentGroupId') },
    ),
    refusedStep(
      'groups.create',
      'reserved role',
      { body: { groupName: '{{run}}-reserved', roles: ['CLI-1STPARTY'] } },
      { undo: undoGroup('reserved', 'reservedGroupId') },
    ),
    step(
      'groups.create',
      'creates without options',
      { body: { groupName: '{{run}}-base' } },
      {
        save: { baseGroupId: 'body.groupId', baseGroupName: 'text:{{run}}-base' },
        undo: undoGroup('base', 'baseGroupId'),
      },
    ),
    step('groups.get', 'by id', { params: own }, { save: { groupTag: 'header.etag' } }),
    step('groups.get', 'by name', { params: { groupId: '{{groupName}}' } }),
    step('groups.list', 'by name', { query: [['name', '{{groupName}}']] }),
    step('groups.update', 'sets all fields', {
      params: base,
      body: {
        groupName: '{{baseGroupName}}',
        organizationId: '{{run}}',
        businessUnitId: '{{run}}',
        roles: ['IAM_CONFORMANCE_2'],
      },
    }),
    refusedStep('groups.update', 'name is taken', { params: base, body: { groupName: '{{groupName}}' } }),
    step('groups.get', 'after an update', { params: base }),
    step(
      'groups.list',
      'first page of an organization',
      {
        query: [
          ['organizationId', '{{run}}'],
          ['limit', '1'],
        ],
      },
      { save: { groupsNext: 'link' } },
    ),
    step('groups.list', 'last page of an organization', {
      query: [
        ['organizationId', '{{run}}'],
        ['limit', '1'],
        ['after', '{{groupsNext}}'],
      ],
    }),
    step('groups.list', 'by role', {
      query: [
        ['role', 'IAM_CONFORMANCE_2'],
        ['organizationId', '{{run}}'],
      ],
    }),
    step('groups.add-role', 'adds', { params: own, body: { roleName: 'IAM_CONFORMANCE_3' } }),
    refusedStep('groups.add-role', 'again', { params: own, body: { roleName: 'IAM_CONFORMANCE_3' } }),
    refusedStep('groups.add-role', 'reserved role', { params: own, body: { roleName: 'AUTH-BASIC' } }),
    refusedStep('groups.update', 'changed since', {
      params: own,
      headers: { 'if-match': '{{groupTag}}' },
      body: { groupName: '{{groupName}}' },
    }),
    step('groups.remove-role', 'removes', { params: { ...own, roleName: 'IAM_CONFORMANCE_3' } }),
    refusedStep('groups.remove-role', 'again', { params: { ...own, roleName: 'IAM_CONFORMANCE_3' } }),
    step('groups.add-dependency', 'adds', { params: own, body: { groupName: '{{baseGroupName}}' } }),
    refusedStep('groups.add-dependency', 'circle', { params: base, body: { groupName: '{{groupName}}' } }),
    refusedStep('groups.add-dependency', 'unknown group', { params: own, body: { groupName: '{{run}}-unknown' } }),
    step('groups.get', 'with a dependency', { params: own }),
    refusedStep('groups.remove', 'in use', { params: base }, { deletes: ['group {{run}}-base'] }),
    step('groups.remove-dependency', 'removes', { params: { ...own, dependencyName: '{{baseGroupName}}' } }),
    refusedStep('groups.remove-dependency', 'again', { params: { ...own, dependencyName: '{{baseGroupName}}' } }),
    refusedStep('business-accesses.add-business', 'unknown business', {
      params: own,
      body: [{ businessId: unknownId }],
    }),
    refusedStep('user-accesses.add-user', 'unknown user', {
      params: { groupName: '{{groupId}}' },
      body: [{ userId: unknownId }],
    }),
    refusedStep('service-accesses.add-service', 'unknown service', { params: own, body: [{ serviceId: unknownId }] }),
    refusedStep('user-accesses.add-user', 'no user', { params: { groupName: '{{groupId}}' }, body: [] }),
    refusedStep('user-accesses.remove-user', 'not a member', {
      params: { groupName: '{{groupId}}', userId: unknownId },
    }),
    refusedStep('business-accesses.remove-business', 'not a member', { params: { ...own, businessId: unknownId } }),
    refusedStep('service-accesses.remove-service', 'not a member', { params: { ...own, serviceId: unknownId } }),
    step('groups.remove', 'deletes', { params: own }, { deletes: ['group {{run}}-group'] }),
    refusedStep('groups.remove', 'again', { params: own }),
    refusedStep('groups.get', 'after the deletion', { params: own }),
    step(
      'groups.remove',
      'deletes by name',
      { params: { groupId: '{{baseGroupName}}' } },
      { deletes: ['group {{run}}-base'] },
    ),
  ],
};

const corporate = { corporateGroupId: '{{corporateGroupId}}' };

const undoCorporateGroup: Undo = {
  entity: 'corporate group {{run}}-corporate',
  operation: 'corporate-groups.remove',
  params: corporate,
  find: {
    operation: 'corporate-groups.list',
    query: [['name', '{{run}}-corporate']],
    field: 'corporateGroupName',
    value: '{{run}}-corporate',
    idField: 'corporateGroupId',
    variable: 'corporateGroupId',
  },
};

/** Creates, changes and deletes a corporate group without businesses. */
export const corporateGroupScenario: Scenario = {
  name: 'corporate groups',
  cases: [
    step(
      'corporate-groups.create',
      'creates',
      { body: { corporateGroupName: '{{run}}-corporate', organizationId: '{{run}}' } },
      {
        save: { corporateGroupId: 'body.corporateGroupId', corporateGroupName: 'text:{{run}}-corporate' },
        undo: undoCorporateGroup,
      },
    ),
    refusedStep('corporate-groups.create', 'name is taken', { body: { corporateGroupName: '{{corporateGroupName}}' } }),
    refusedStep('corporate-groups.update', 'unknown business', {
      params: corporate,
      body: { corporateGroupName: '{{corporateGroupName}}', businesses: [{ businessId: unknownId }] },
    }),
    step('corporate-groups.get', 'by id', { params: corporate }, { save: { corporateTag: 'header.etag' } }),
    step('corporate-groups.list', 'by name', { query: [['name', '{{corporateGroupName}}']] }),
    step('corporate-groups.update', 'sets all fields', {
      params: corporate,
      headers: { 'if-match': '{{corporateTag}}' },
      body: { corporateGroupName: '{{corporateGroupName}}', organizationId: '{{run}}-2', businesses: [] },
    }),
    refusedStep('corporate-groups.update', 'changed since', {
      params: corporate,
      headers: { 'if-match': '{{corporateTag}}' },
      body: { corporateGroupName: '{{corporateGroupName}}' },
    }),
    step('corporate-groups.get', 'after an update', { params: corporate }),
    step('corporate-groups.remove', 'deletes', { params: corporate }, { deletes: [undoCorporateGroup.entity] }),
    refusedStep('corporate-groups.remove', 'again', { params: corporate }),
    refusedStep('corporate-groups.get', 'after the deletion', { params: corporate }),
  ],
};
