/** Printing of plans. */
import type { CommandOptions } from '../command.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import type { Printer } from '../runtime/output.ts';
import type { PlanDeps } from './deps.ts';
import { formatPlan, formatSummary, type TextStyle, toChangeJson, toPlanJson } from './format-plan.ts';
import type { Plan } from './plan.ts';

/** The documents that were named. */
export function getDocumentFiles(options: CommandOptions): readonly string[] {
  return (options.file as readonly string[] | undefined) ?? [];
}

/** Prints a plan: lines for people, data for programs, and of formats with rows the changes. */
export async function renderPlan(deps: PlanDeps, plan: Plan): Promise<void> {
  const { printer } = deps.context;
  if (printer.isForPeople) return renderLines(deps, formatPlan(plan, createTextStyle(deps)));
  await printer.value(isRowFormat(printer) ? plan.changes.map(toChangeJson) : toPlanJson(plan));
  if (isRowFormat(printer)) deps.context.notice(formatSummary(plan));
}

function isRowFormat({ format }: Printer): boolean {
  return format === 'jsonl' || format === 'csv' || format === 'name';
}

/** Prints lines, painted by what they say. */
export async function renderLines(deps: PlanDeps, lines: readonly string[]): Promise<void> {
  const paint = await deps.createPainter();
  deps.context.printer.verbatim(lines.map((line) => paint(escapeControls(line))));
}

/** How wide, and how much: the format wide shows everything. */
export function createTextStyle({ context: { printer, io } }: PlanDeps): TextStyle {
  const isWide = printer.format === 'wide';
  const width = io.stdout.isTTY ? (io.stdout.columns ?? 80) : 80;
  return { width: isWide ? Math.max(width, 120) : width, maxEntries: isWide ? Number.POSITIVE_INFINITY : 20 };
}
