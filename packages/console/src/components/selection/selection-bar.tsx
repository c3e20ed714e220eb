/** What can be done with the selected rows of a list. */
import { CloseButton, Text } from '@mantine/core';
import { useKeys } from '../keys/use-keys.ts';
import { PermittedButton } from '../permitted-button.tsx';
import type { BulkAction, BulkActions } from './bulk-action.ts';
import type { RowSelection } from './use-selection.ts';

interface SelectionBarProps<Row> {
  readonly bulk: BulkActions<Row>;
  readonly selection: RowSelection<Row>;
  onAction(action: BulkAction<Row>): void;
}

export function SelectionBar<Row>({ bulk, selection, onAction }: SelectionBarProps<Row>) {
  const rows = [...selection.selected.values()];
  const clear = () => selection.clear();
  useKeys({ Escape: clear });
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fields of a form
    <div className="selection" role="group" aria-label={`Selected ${bulk.noun[1]}`}>
      <CloseButton size="sm" aria-label="Clear the selection" aria-keyshortcuts="Escape" onClick={clear} />
      <Text size="sm" role="status">
        {rows.length.toLocaleString('en')} selected
      </Text>
      {bulk.actions.map((action) => (
        <PermittedButton
          key={action.label}
          operation={action.operations}
          variant="default"
          className={action.isDangerous ? 'danger' : undefined}
          disabledReason={action.skip && rows.every(action.skip.test) ? `All are ${action.skip.text}.` : undefined}
          onClick={() => onAction(action)}
        >
          {action.label}
        </PermittedButton>
      ))}
    </div>
  );
}
