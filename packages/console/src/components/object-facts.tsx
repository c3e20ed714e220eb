/** What identifies one object: a name and a value in each row. */
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface ObjectFactsProps {
  readonly label: string;
  /** By the name of the row. Rows without a value are left out. */
  readonly facts: Readonly<Record<string, ReactNode>>;
}

export function ObjectFacts({ label, facts }: ObjectFactsProps) {
  const given = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return undefined;
  return (
    <Table aria-label={label} layout="auto" maw={640} style={{ overflowWrap: 'anywhere' }}>
      <Table.Tbody>
        {given.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" className="fact-name">
              {name}
            </Table.Th>
            <Table.Td>
              <bdi>{value}</bdi>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
