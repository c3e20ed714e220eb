/** What can be done with several corporate groups. */
import { quotePositional } from '../../components/equivalents.tsx';
import type { BulkActions } from '../../components/selection/bulk-action.ts';
import { Subject } from '../../components/subject.tsx';
import { type CorporateGroupRecord, organizationQueries } from '../organizations/corporate-groups.ts';

export const bulkCorporateGroups: BulkActions<CorporateGroupRecord> = {
  noun: ['corporate group', 'corporate groups'],
  keyOf: ({ corporateGroupId }) => corporateGroupId,
  nameOf: ({ corporateGroupName }) => corporateGroupName,
  render: ({ corporateGroupId, corporateGroupName }) => (
    <Subject kind="corporateGroup" id={corporateGroupId} name={corporateGroupName} isPlain />
  ),
  changes: organizationQueries,
  actions: [
    {
      label: 'Delete',
      operations: ['corporate-groups.remove'],
      isDangerous: true,
      title: (groups) => `Delete ${groups}`,
      done: 'deleted',
      effect: 'Their businesses are then in no corporate group. They are not deleted.',
      request:
        ({ corporateGroupId }) =>
        ({ service }) =>
          service.DELETE('/corporate-groups/{corporateGroupId}', { params: { path: { corporateGroupId } } }),
      commands: (groups) => [
        `corporate-groups delete --yes ${quotePositional(...groups.map(({ corporateGroupId }) => corporateGroupId))}`,
      ],
    },
  ],
};
