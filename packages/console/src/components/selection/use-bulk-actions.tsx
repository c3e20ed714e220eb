/** The selection of a list and what can be done with it. Without a permitted action, the list has no checkboxes. */
import { type ReactNode, useState } from 'react';
import { usePermission } from '../../api/use-permission.ts';
import type { BulkAction, BulkActions } from './bulk-action.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type RowSelection, useSelection } from './use-selection.ts';

interface BulkOptions<Row> {
  /** Undefined for a list without actions. */
  readonly bulk: BulkActions<Row> | undefined;
  readonly rows: readonly Row[];
  /** Of the list, with its filters. */
  readonly scope: string;
}

interface Bulk<Row> {
  /** For the rows. */
  readonly selection: RowSelection<Row> | undefined;
  /** Shows the actions while rows are selected, in place of what is given. */
  renderBar(otherwise: ReactNode): ReactNode;
}

export function useBulkActions<Row>({ bulk, ...options }: BulkOptions<Row>): Bulk<Row> {
  const { isAllowed } = usePermission(...(bulk?.actions.flatMap(({ operations }) => operations) ?? []));
  const { keyOf, nameOf } = bulk ?? unnamed;
  const selection = useSelection({ ...options, keyOf, nameOf });
  const [opened, setOpened] = useState<OpenedAction<Row>>({ action: bulk?.actions[0], rows: [], isOpen: false });
  const { action } = opened;
  if (!bulk || !action || !isAllowed) return { selection: undefined, renderBar: (otherwise) => otherwise };
  return {
    selection,
    renderBar: (otherwise) => (
      <>
        {selection.selected.size === 0 ? (
          otherwise
        ) : (
          <SelectionBar
            bulk={bulk}
            selection={selection}
            onAction={(next) => setOpened({ action: next, rows: [...selection.selected.values()], isOpen: true })}
          />
        )}
        <BulkDialog
          {...opened}
          action={action}
          bulk={bulk}
          onDone={selection.clear}
          onClose={() => setOpened({ ...opened, isOpen: false })}
        />
      </>
    ),
  };
}

const unnamed = { keyOf: () => '', nameOf: () => '' };

/** The dialog is there before it opens, so that the focus returns to where it was. */
interface OpenedAction<Row> {
  readonly action: BulkAction<Row> | undefined;
  readonly rows: readonly Row[];
  readonly isOpen: boolean;
}
