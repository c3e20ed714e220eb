/** Prints a plan in the selected output format. Also reads the option -f, which plan and apply share. */
import type { CommandOptions } from '../context.ts';
import { escapeControls } from '../io/control-characters.ts';
import type { Printer } from '../output/printer.ts';
import type { PlanDeps } from './deps.ts';
import { formatPlan, formatSummary, type TextStyle, toChangeJson, toPlanJson } from './format-plan.ts';
import type { Plan } from './plan.ts';

/** Returns the files of -f. */
export function getDocumentFiles(options: CommandOptions): readonly string[] {
  return (options.file as readonly string[] | undefined) ?? [];
}

/** Prints a plan: text for terminals, JSON or YAML for programs, and the changes in row formats. */
export async function renderPlan(deps: PlanDeps, plan: Plan): Promise<void> {
  const { printer } = deps.context;
  if (printer.isForPeople) return renderLines(deps, formatPlan(plan, createTextStyle(deps)));
  await printer.value(isRowFormat(printer) ? plan.changes.map(toChangeJson) : toPlanJson(plan));
  if (isRowFormat(printer)) deps.context.notice(formatSummary(plan));
}

function isRowFormat({ format }: Printer): boolean {
  return format === 'jsonl' || format === 'csv' || format === 'name';
}

/** Prints lines, coloured by their mark. */
export async function renderLines(deps: PlanDeps, lines: readonly string[]): Promise<void> {
  const paint = await deps.createPainter();
  deps.context.printer.verbatim(lines.map((line) => paint(escapeControls(line))));
}

/** Returns the wrap width and entry limit; `wide` has no entry limit. */
export function createTextStyle({ context: { printer, io } }: PlanDeps): TextStyle {
  const isWide = printer.format === 'wide';
  const width = io.stdout.isTTY ? (io.stdout.columns ?? 80) : 80;
  return { width: isWide ? Math.max(width, 120) : width, maxEntries: isWide ? Number.POSITIVE_INFINITY : 20 };
}
