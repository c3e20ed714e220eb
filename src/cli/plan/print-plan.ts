/** Prints a plan or its changes: colored text for people, JSON, YAML or rows for programs. */
import type { ChalkInstance } from 'chalk';
import type { Context } from '../context.ts';
import { createColours } from '../io/colour.ts';
import { escapeControls } from '../io/control-characters.ts';
import type { Printer } from '../output/printer.ts';
import {
  formatChanges,
  formatPlan,
  formatSummary,
  listShownIds,
  listWarnings,
  type TextStyle,
  toChangeJson,
  toPlanJson,
} from './format-plan.ts';
import { idForm } from './model/members.ts';
import type { Plan } from './plan.ts';

/** Prints a plan with role effects and warnings; row formats contain only the changes. */
export async function printPlan(context: Context, plan: Plan): Promise<void> {
  const { printer } = context;
  if (printer.isForPeople) return printLines(context, formatPlan(plan, await createNamedStyle(context, plan)));
  await printer.value(isRowFormat(printer) ? plan.changes.map(toChangeJson) : toPlanJson(plan));
  if (isRowFormat(printer)) context.notice(...listWarnings(plan), formatSummary(plan));
}

/** Prints only the changes. */
export async function printChanges(context: Context, changes: Plan['changes']): Promise<void> {
  const { printer } = context;
  if (printer.isForPeople)
    printLines(context, formatChanges(changes, await createNamedStyle(context, { changes, roles: [] })));
  else await printer.value(changes.map(toChangeJson));
}

function isRowFormat({ format }: Printer): boolean {
  return format === 'jsonl' || format === 'csv' || format === 'name';
}

function printLines({ io, environment, color, printer }: Context, lines: readonly string[]): void {
  const colours = createColours(io.stdout, environment, color);
  printer.verbatim(lines.map((line) => paintLine(colours, escapeControls(line))));
}

/** Colors a line by its mark: +, - or ~. */
function paintLine({ green, red, magenta }: ChalkInstance, line: string): string {
  const paint = { '+': green, '-': red, '~': magenta }[line.trimStart().slice(0, 1)];
  return paint?.(line) ?? line;
}

async function createNamedStyle(context: Context, plan: Pick<Plan, 'changes' | 'roles'>): Promise<TextStyle> {
  const style = createTextStyle(context);
  const ids = listShownIds(plan, style).filter((id) => idForm.test(id));
  return ids.length === 0 ? style : { ...style, names: await context.findNames(ids) };
}

/** Returns the wrap width and entry limit; `wide` has no entry limit. */
export function createTextStyle({ printer, io }: Context): TextStyle {
  const isWide = printer.format === 'wide';
  const width = io.stdout.isTTY ? (io.stdout.columns ?? 80) : 80;
  return { width: isWide ? Math.max(width, 120) : width, maxEntries: isWide ? Number.POSITIVE_INFINITY : 20 };
}
