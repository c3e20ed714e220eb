/** The open row of a list as state of the URL: the part of the path below that of the page. */
import { useMediaQuery } from '@mantine/hooks';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { usePage } from './use-page.ts';

export interface RowPanelState {
  readonly openKey: string | undefined;
  /** Whether the open row is beside the list, and not above it. */
  readonly isBeside: boolean;
  /** The rows above and below the open one. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
  open(key: string): void;
  close(): void;
}

interface RowPanelOptions<Row> {
  /** Of the page. */
  readonly path: string;
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
}

/** "Back" after a row was opened returns to the list, however many others were opened from it. */
const opened = { isOpenedFromList: true };

/** The width that a list and a row beside it need. */
const wideScreen = '(min-width: 80em)';

export function useRowPanel<Row>({ path, rows, keyOf }: RowPanelOptions<Row>): RowPanelState {
  const { rest: openKey, search } = usePage();
  const navigate = useNavigate();
  const { history } = useRouter();
  const { state } = useLocation();
  const isWide = useMediaQuery(wideScreen, undefined, { getInitialValueInEffect: false }) ?? true;
  const at = openKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === openKey);
  const keyAt = (index: number) => {
    const row = rows[index];
    return row === undefined || openKey === undefined ? undefined : keyOf(row);
  };
  return {
    openKey,
    isBeside: isWide && openKey !== undefined,
    previous: at < 0 ? undefined : keyAt(at - 1),
    // Of a row that the list does not have: the first one.
    next: keyAt(at + 1),
    open: (key) =>
      void navigate({
        to: `${path}/$`,
        params: { _splat: key } as never,
        search: search as never,
        ...(openKey === undefined ? { state: opened as never } : { state: true, replace: true }),
      }),
    close: () =>
      'isOpenedFromList' in state
        ? history.back()
        : void navigate({ to: path, search: search as never, replace: true }),
  };
}
