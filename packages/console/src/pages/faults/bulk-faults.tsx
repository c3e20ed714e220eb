/** What can be done with several fault rules. */
import type { ControlData } from '../../api/clients.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import type { BulkActions } from '../../components/selection/bulk-action.ts';
import { describeTarget } from '../../components/top-bar/faults-menu.tsx';

export type FaultRuleRecord = ControlData<'/faults'>[number];

export const bulkFaults: BulkActions<FaultRuleRecord> = {
  noun: ['fault', 'faults'],
  keyOf: ({ id }) => id,
  nameOf: (rule) => `${rule.id} of ${describeTarget(rule)}`,
  render: (rule) => (
    <>
      {describeTarget(rule)} <span className="id">{rule.id}</span>
    </>
  ),
  changes: ['faults'],
  actions: [
    {
      label: 'Remove',
      operations: ['DELETE /_iam/faults'],
      isDangerous: true,
      title: (faults) => `Remove ${faults}`,
      done: 'removed',
      effect: 'Requests that they already delay are not affected.',
      request:
        ({ id }) =>
        ({ control }) =>
          control.DELETE('/faults', { params: { query: { id } } }),
      commands: (faults) => [`faults remove ${quotePositional(...faults.map(({ id }) => id))}`],
    },
  ],
};
