/** Printing of plans. */
import type { Options } from '../leaf.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import type { Printer } from '../runtime/output.ts';
import type { Plan } from './plan.ts';
import { planData, planLines, shownChange, summaryLine, type TextStyle } from './text.ts';
import type { Tools } from './tools.ts';

/** The documents that were named. */
export function filesOf(options: Options): readonly string[] {
  return (options.file as readonly string[] | undefined) ?? [];
}

/** Prints a plan: lines for people, data for programs, and of formats with rows the changes. */
export async function printPlan(tools: Tools, plan: Plan): Promise<void> {
  const { printer } = tools.context;
  if (printer.isForPeople) return printLines(tools, planLines(plan, styleOf(tools)));
  await printer.value(hasRows(printer) ? plan.changes.map(shownChange) : planData(plan));
  if (hasRows(printer)) tools.context.notice(summaryLine(plan));
}

function hasRows({ format }: Printer): boolean {
  return format === 'jsonl' || format === 'csv' || format === 'name';
}

/** Prints lines, painted by what they say. */
export async function printLines(tools: Tools, lines: readonly string[]): Promise<void> {
  const paint = await tools.painter();
  tools.context.printer.verbatim(lines.map((line) => paint(escapeControls(line))));
}

/** How wide, and how much: the format wide shows everything. */
export function styleOf({ context: { printer, io } }: Tools): TextStyle {
  const isWide = printer.format === 'wide';
  const width = io.stdout.isTTY ? (io.stdout.columns ?? 80) : 80;
  return { width: isWide ? Math.max(width, 120) : width, most: isWide ? Number.POSITIVE_INFINITY : 20 };
}
