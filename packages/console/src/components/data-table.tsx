/** A table of a few rows below their titles. Lists of any length are a RowList. */
import { Table, type TableProps } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

interface DataRow {
  readonly key: string;
  /** A first cell that names the row. */
  readonly name?: ReactNode;
  readonly cells: readonly ReactNode[];
  /** Below the cells, as wide as all of them. */
  readonly detail?: ReactNode;
}

interface DataTableProps extends TableProps {
  readonly titles: readonly string[];
  readonly rows: readonly DataRow[];
}

export function DataTable({ titles, rows, ...props }: DataTableProps) {
  return (
    <Table {...props}>
      <Table.Thead>
        <Table.Tr>
          {titles.map((title) => (
            <Table.Th key={title} scope="col">
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ key, name, cells, detail }) => (
          <Fragment key={key}>
            <Table.Tr>
              {name === undefined ? undefined : <Table.Th scope="row">{name}</Table.Th>}
              {cells.map((cell, at) => (
                <Table.Td key={titles[at]}>{cell}</Table.Td>
              ))}
            </Table.Tr>
            {detail === undefined ? undefined : (
              <Table.Tr>
                <Table.Td colSpan={titles.length}>{detail}</Table.Td>
              </Table.Tr>
            )}
          </Fragment>
        ))}
      </Table.Tbody>
    </Table>
  );
}
