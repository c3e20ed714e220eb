/** The active fault rules, with how often they matched and applied. */
import { Text } from '@mantine/core';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { type RowColumn, RowList } from '../../components/row-list.tsx';
import type { RowSelection } from '../../components/selection/use-selection.ts';
import { describeEffect } from '../../components/texts/describe-effect.ts';
import { describeTarget, isUsedUp } from '../../components/top-bar/faults-menu.tsx';
import { bulkFaults, type FaultRuleRecord } from './bulk-faults.tsx';

interface FaultListProps {
  readonly faults: readonly FaultRuleRecord[];
  readonly selection: RowSelection<FaultRuleRecord> | undefined;
  onRemove(id: string): void;
}

export function FaultList({ faults, selection, onRemove }: FaultListProps) {
  const columns: RowColumn<FaultRuleRecord>[] = [
    { title: 'Operation', width: 'minmax(9rem, 2fr)', render: describeTarget },
    { title: 'Rule', isOptional: true, width: '3rem', render: ({ id }) => <span className="id">{id}</span> },
    { title: 'Effect', width: 'minmax(9rem, 2fr)', phone: 'detail', render: ({ effect }) => describeEffect(effect) },
    { title: 'Caller', isOptional: true, width: 'minmax(7rem, 1fr)', render: ({ caller }) => caller ?? 'all' },
    { title: 'Requests', width: 'minmax(8rem, 1fr)', render: describeSelection },
    { title: 'Matched', isOptional: true, width: '5rem', align: 'end', render: ({ matched }) => matched },
    { title: 'Applied', width: '7rem', align: 'end', render: describeApplied },
    {
      title: 'Action',
      width: '6rem',
      phone: 'action',
      render: ({ id }) => (
        <PermittedButton
          operation="DELETE /_iam/faults"
          size="compact-sm"
          variant="default"
          aria-label={`Remove the rule ${id}`}
          onClick={() => onRemove(id)}
        >
          Remove
        </PermittedButton>
      ),
    },
  ];
  return (
    <RowList
      label="Fault rules"
      rows={faults}
      columns={columns.map(mute)}
      selection={selection}
      keyOf={bulkFaults.keyOf}
    />
  );
}

/** A rule that is used up is not in force. */
function mute(column: RowColumn<FaultRuleRecord>): RowColumn<FaultRuleRecord> {
  const { render } = column;
  return {
    ...column,
    render: (fault) =>
      isUsedUp(fault) ? (
        <Text span inherit c="dimmed">
          {render(fault)}
        </Text>
      ) : (
        render(fault)
      ),
  };
}

function describeApplied(fault: FaultRuleRecord): string {
  return isUsedUp(fault) ? `${fault.applied}, used up` : String(fault.applied);
}

function describeSelection({ nth, every, probability, seed, times }: FaultRuleRecord): string {
  const parts = [
    nth === undefined ? undefined : `number ${nth}`,
    every === undefined ? undefined : `one in ${every}`,
    probability === undefined ? undefined : `probability ${probability}`,
    seed === undefined ? undefined : `seed ${seed}`,
    times === undefined ? undefined : `at most ${times}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'all' : parts.join(', ');
}
