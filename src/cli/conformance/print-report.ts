/** Prints the report: a table and the differences for people, data for programs. */
import type { Context } from '../context.ts';
import { getTerminalWidth } from '../io/io.ts';
import { hangingIndent } from '../output/table.ts';
import type { ReportedDifference } from './group-differences.ts';
import type { ConformanceOptions } from './options.ts';
import type { ConformanceReport, UncheckedCase } from './report.ts';

/** Formats of one row for each difference. */
const rowFormats: readonly string[] = ['csv', 'jsonl', 'name'];

/** Prints the report in the format in use. `updatesBaseline`: its differences were added to the baseline. */
export async function printReport(
  context: Context,
  report: ConformanceReport,
  { updatesBaseline }: Pick<ConformanceOptions, 'updatesBaseline'>,
): Promise<void> {
  const { printer, settings } = context;
  if (rowFormats.includes(printer.format)) return printer.value(report.differences);
  if (!printer.isForPeople) return printer.value(report);
  await printer.value(report.operations);
  if (settings.options.columns !== undefined) return;
  const width = getTerminalWidth(context.io.stdout);
  const sections = [
    ...formatDifferences(
      updatesBaseline ? 'Added to the baseline' : 'Differences',
      report.differences.filter(({ accepted }) => !accepted),
    ),
    ...formatDifferences(
      'Accepted by the baseline',
      report.differences.filter(({ accepted }) => accepted),
    ),
    ...formatUnchecked(report.notChecked),
    ...formatStale(report, updatesBaseline),
  ];
  const lines = await Promise.all(sections.map(({ heading, text }) => hangingIndent(heading, text, width)));
  printer.lines([...lines.flatMap((line) => line.split('\n')), '', formatSummary(report)]);
}

/** A line that continues below its heading. */
interface Line {
  readonly heading: string;
  readonly text: string;
}

const line = (heading: string, text = ''): Line => ({ heading, text });

function formatDifferences(heading: string, differences: readonly ReportedDifference[]): Line[] {
  if (differences.length === 0) return [];
  const byCase = new Map<string, ReportedDifference[]>();
  const ofOneCase = differences.filter(({ cases }) => cases === 1);
  for (const one of ofOneCase) {
    const name = `${one.operation}: ${one.case}`;
    byCase.set(name, [...(byCase.get(name) ?? []), one]);
  }
  const cases = [...byCase].flatMap(([name, own]) => [
    line('  ', name),
    ...own.map(formatDifference),
    line(`    $ ${own[0]?.reproduce ?? ''}`),
  ]);
  const groups = differences.filter((one) => one.cases > 1).flatMap(formatGroup);
  return [line(''), line(`${heading}:`), ...groups, ...cases];
}

/** The same difference in many cases: one request shows it, and one entry of a baseline accepts it. */
function formatGroup(group: ReportedDifference): Line[] {
  const { cases, where, operation, case: name, accepted, baseline, reproduce } = group;
  const { size } = new Set(where.map((one) => one.operation));
  const subjects = size === 1 ? operation : `${size} operations`;
  return [
    line('  ', `${cases} cases of ${subjects}, such as ${operation}: ${name}`),
    formatDifference(group),
    line(`    $ ${reproduce}`),
    ...(accepted ? [] : [line(`    accept with ${JSON.stringify(baseline)}`)]),
  ];
}

function formatDifference({ aspect, name, expected, seen, reason }: ReportedDifference): Line {
  const subject = name === undefined ? aspect : `${aspect} ${name}`;
  return line(`    ${subject}: `, `expected ${expected}, got ${seen}${reason === undefined ? '' : ` (${reason})`}`);
}

/** The reasons, with the operations that each concerns. */
function formatUnchecked(cases: readonly UncheckedCase[]): Line[] {
  if (cases.length === 0) return [];
  const byReason = new Map<string, Set<string>>();
  for (const { operation, reason } of cases) byReason.set(reason, (byReason.get(reason) ?? new Set()).add(operation));
  const groups = [...byReason].flatMap(([reason, operations]) => [
    line('  ', `${reason}:`),
    line('    ', [...operations].join(', ')),
  ]);
  return [line(''), line('Not checked, at least in part:'), ...groups];
}

function formatStale({ staleBaseline }: ConformanceReport, isRemoved: boolean): Line[] {
  if (staleBaseline.length === 0) return [];
  const entries = staleBaseline.map((entry) =>
    line('  ', [entry.operation, entry.case, entry.aspect, entry.name].filter((one) => one !== undefined).join(', ')),
  );
  const heading = isRemoved ? 'Removed from the baseline' : 'Entries of the baseline that accept nothing any more';
  return [line(''), line(`${heading}:`), ...entries];
}

function formatSummary({ summary }: ConformanceReport): string {
  const { operations, cases, same, different, accepted, notChecked } = summary;
  const counts = `${cases} cases: ${same} same, ${different} different, ${accepted} accepted, ${notChecked} not checked`;
  return `${operations} ${operations === 1 ? 'operation' : 'operations'}, ${counts}`;
}
