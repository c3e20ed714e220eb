/**
 * The heat map: a row for each operation, a column for each status, on narrow screens one for each class of statuses. Color only
 * repeats what the text says.
 */
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import './coverage.css';
import type { ControlData } from '../../api/clients.ts';
import { useNarrow } from '../../components/lists/use-narrow.ts';

type CoverageItem = ControlData<'/coverage'>['items'][number];

const classes = [2, 4, 5] as const;

export function CoverageTable({ items }: { readonly items: readonly CoverageItem[] }) {
  const statuses = [
    ...new Set(items.flatMap((item) => [...item.statuses.map(({ status }) => status), ...item.others])),
  ];
  statuses.sort((a, b) => a - b);
  const isNarrow = useNarrow();
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section className="heat-map" aria-label="Statuses by operation" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col">Error codes</th>
              {(isNarrow ? classes.map((each) => `${each}xx`) : statuses).map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <CoverageRow key={item.operation} item={item} statuses={statuses} isNarrow={isNarrow} />
            ))}
          </tbody>
        </table>
      </section>
      <Text size="sm" c="dimmed">
        {isNarrow
          ? 'How many of the documented statuses were returned since the start or the last reset.'
          : 'How often each documented status was returned since the start or the last reset. Outlined: never. Empty: not documented. +: returned, but not documented, such as 429.'}
      </Text>
    </>
  );
}

interface CoverageRowProps {
  readonly item: CoverageItem;
  readonly statuses: readonly number[];
  readonly isNarrow: boolean;
}

function CoverageRow({ item, statuses, isNarrow }: CoverageRowProps) {
  const [, area, name] = /^(.*\.)(.*)$/.exec(item.operation) ?? ['', '', item.operation];
  return (
    <tr>
      <th scope="row">
        <span className="heat-area">{area}</span>
        {name}
      </th>
      <td>
        <CodeList codes={item.codes} />
      </td>
      {isNarrow
        ? classes.map((each) => <ClassCell key={each} item={item} first={each} />)
        : statuses.map((status) => <StatusCell key={status} item={item} status={status} />)}
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

/** Of the documented statuses with this first digit, how many were returned. */
function ClassCell({ item: { statuses }, first }: { readonly item: CoverageItem; readonly first: number }) {
  const documented = statuses.filter(({ status }) => Math.floor(status / 100) === first);
  const returned = documented.filter(({ calls }) => calls > 0).length;
  if (documented.length === 0) return <td />;
  const heat = returned === 0 ? 'none' : returned < documented.length ? 'low' : 'high';
  return (
    <td data-heat={heat}>
      <span>
        {returned}/{documented.length}
      </span>
    </td>
  );
}

function StatusCell({ item: { operation, statuses, others }, status }: { item: CoverageItem; status: number }) {
  const calls = statuses.find((documented) => documented.status === status)?.calls;
  if (calls === 0)
    return (
      <td data-heat="none">
        <span>0</span>
      </td>
    );
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
  if (calls === 1) return 'low';
  return calls < 10 ? 'medium' : 'high';
}
