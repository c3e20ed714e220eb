/** The checkboxes of a list: of each row, and of all that are read. */
import type { MouseEvent } from 'react';
import type { RowSelection } from './use-selection.ts';

interface SelectProps<Row> {
  readonly selection: RowSelection<Row>;
}

export function SelectCell<Row>({ selection, row, isSelected }: SelectProps<Row> & { row: Row; isSelected: boolean }) {
  return (
    <td data-phone="select">
      <input
        type="checkbox"
        className="row-select"
        aria-label={selection.labelOf(row)}
        checked={isSelected}
        onChange={({ nativeEvent }) => selection.toggle(row, (nativeEvent as unknown as MouseEvent).shiftKey)}
      />
    </td>
  );
}

export function SelectAllCell<Row>({ selection, count }: SelectProps<Row> & { readonly count: number }) {
  const { isAllSelected } = selection;
  const label = `Select all ${count.toLocaleString('en')} rows that are read`;
  return (
    <th scope="col">
      <input
        type="checkbox"
        className="row-select"
        aria-label={label}
        title={label}
        checked={isAllSelected === true}
        ref={(input) => {
          if (input) input.indeterminate = isAllSelected === undefined;
        }}
        onChange={selection.toggleAll}
      />
    </th>
  );
}
