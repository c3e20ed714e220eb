/** `iam metrics`: shows requests, errors, logins and durations of the last hour. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import type { CliRuntime, Context } from '../context.ts';
import type { TableRow } from '../output/table.ts';
import { buildListShape, callControlPlane, controlPlaneNote } from '../request/control-plane.ts';
import { summarizeForTables } from '../request/control-requests.ts';
import { addFieldOption, createField } from '../request/field-options.ts';

const path = '/_iam/metrics/series';
const columns = ['at', 'requests', 'errors', 'logins', 'median', 'p95', 'p99'];

const metricsText: Omit<CommandDescription, 'title'> = {
  description: `One row per interval, oldest first, without intervals that had no requests; --all includes them. Durations are estimated; tables show milliseconds, other formats seconds. ${controlPlaneNote} For Prometheus, the server has /metrics.`,
  effect: 'read',
  examples: [
    { title: 'Show the last ten minutes', command: '' },
    { title: 'Show the last hour for a spreadsheet', command: '--limit 360 --all -o csv' },
    { title: 'Check the errors of the last minute in a script', command: '--limit 6 -o json --query "sum([].errors)"' },
  ],
};

export function addMetrics(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'metrics', { title, ...metricsText });
  const description = 'number of intervals of ten seconds, 1 to 360, default 60';
  addFieldOption(command, createField(['limit'], { type: 'integer', description }, false));
  command.option('--all', 'include intervals without requests');
  setAction(command, runtime, (context, _, options) =>
    printSeries(context, options.limit as number | undefined, options.all === true),
  );
}

interface Series {
  readonly points: readonly { readonly requests: number }[];
}

/** Estimated durations, in seconds. */
const durations = ['median', 'p95', 'p99'] as const;

/** The interval in a table: durations in milliseconds, to what the estimate is good for. */
function formatPoint(point: TableRow): TableRow {
  const texts = durations.flatMap((name) => {
    const seconds = point[name];
    return typeof seconds !== 'number' ? [] : [[name, formatMilliseconds(seconds * 1000)] as const];
  });
  return { ...point, ...Object.fromEntries(texts) };
}

/** Two digits below 10 ms, else whole milliseconds. */
function formatMilliseconds(milliseconds: number): string {
  return `${milliseconds < 10 ? Number(milliseconds.toPrecision(2)) : Math.round(milliseconds)} ms`;
}

async function printSeries(context: Context, limit: number | undefined, isComplete: boolean): Promise<void> {
  const { points } = (await callControlPlane(context, 'GET', path, { query: { limit } })).body as Series;
  const shown = points.filter(({ requests }) => isComplete || requests > 0);
  const rows = summarizeForTables(context, async () => ({ items: shown }), formatPoint);
  const pages = async function* () {
    yield (await rows({})).items;
  };
  const count = await context.printer.list(pages(), buildListShape(columns, columns.length));
  if (count === 0) context.notice('No requests in these intervals.');
}
