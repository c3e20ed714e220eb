/** The heat map: a row for each operation, a column for each status. Colour only repeats what the text says. */
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import './coverage.css';
import type { ControlData } from '../../api/clients.ts';

type CoverageItem = ControlData<'/coverage'>['items'][number];

export function CoverageTable({ items }: { readonly items: readonly CoverageItem[] }) {
  const statuses = [
    ...new Set(items.flatMap((item) => [...item.statuses.map(({ status }) => status), ...item.others])),
  ];
  statuses.sort((a, b) => a - b);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section className="heat-map" aria-label="Statuses by operation" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col">Error codes</th>
              {statuses.map((status) => (
                <th key={status} scope="col">
                  {status}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <CoverageRow key={item.operation} item={item} statuses={statuses} />
            ))}
          </tbody>
        </table>
      </section>
      <Text size="sm" c="dimmed">
        How often each documented status was returned since the start or the last reset. 0: never. Empty: not
        documented. +: returned, but not documented, such as 429.
      </Text>
    </>
  );
}

function CoverageRow({ item, statuses }: { readonly item: CoverageItem; readonly statuses: readonly number[] }) {
  return (
    <tr>
      <th scope="row">{item.operation}</th>
      <td>
        <CodeList codes={item.codes} />
      </td>
      {statuses.map((status) => (
        <StatusCell key={status} item={item} status={status} />
      ))}
    </tr>
  );
}

function CodeList({ codes }: Pick<CoverageItem, 'codes'>) {
  const missing = codes.filter(({ calls }) => calls === 0);
  const text = `${codes.length - missing.length} of ${codes.length}`;
  if (missing.length === 0) return text;
  return (
    <details>
      <summary>{text}</summary>
      Missing: {missing.map(({ code }) => code).join(', ')}
    </details>
  );
}

function StatusCell({ item: { operation, statuses, others }, status }: { item: CoverageItem; status: number }) {
  const calls = statuses.find((documented) => documented.status === status)?.calls;
  if (calls === 0) return <td data-heat="none">0</td>;
  if (calls === undefined && !others.includes(status)) return <td />;
  return (
    <td data-heat={calls === undefined ? 'other' : heatOf(calls)}>
      <Anchor
        component={Link}
        to="/requests"
        search={{ operation, status: String(status) } as never}
        aria-label={`${operation}, status ${status}: ${calls ?? 'not documented'}. Show the requests`}
        c="inherit"
        underline="always"
      >
        {calls ?? '+'}
      </Anchor>
    </td>
  );
}

function heatOf(calls: number): 'low' | 'medium' | 'high' {
  if (calls < 10) return 'low';
  return calls < 100 ? 'medium' : 'high';
}
