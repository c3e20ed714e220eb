/** Prints a plan or its changes: colored text for people, JSON, YAML or rows for programs. */
import type { ChalkInstance } from 'chalk';
import type { Context } from '../context.ts';
import { createColours } from '../io/colour.ts';
import { escapeControls } from '../io/control-characters.ts';
import { getTerminalWidth } from '../io/io.ts';
import type { Printer } from '../output/printer.ts';
import { wrapLine } from '../output/table.ts';
import {
  formatChanges,
  formatPlan,
  formatSummary,
  listShownIds,
  listWarnedIds,
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
  const style = await createPlanStyle(context, plan);
  if (printer.isForPeople) return printLines(context, formatPlan(plan, style));
  await printer.value(isRowFormat(printer) ? plan.changes.map(toChangeJson) : toPlanJson(plan, style));
  if (isRowFormat(printer)) context.notice(...listWarnings(plan, style), formatSummary(plan));
}

/** Prints only the changes. */
export async function printChanges(context: Context, changes: Plan['changes']): Promise<void> {
  const { printer } = context;
  if (printer.isForPeople)
    await printLines(
      context,
      formatChanges(
        changes,
        await createNamedStyle(context, listShownIds({ changes, roles: [] }, createTextStyle(context))),
      ),
    );
  else await printer.value(changes.map(toChangeJson));
}

function isRowFormat({ format }: Printer): boolean {
  return format === 'jsonl' || format === 'csv' || format === 'name';
}

async function printLines({ io, environment, color, printer }: Context, lines: readonly string[]): Promise<void> {
  const colours = createColours(io.stdout, environment, color);
  const width = getTerminalWidth(io.stdout);
  const wrapped = await Promise.all(lines.map((line) => wrapLine(escapeControls(line), width)));
  printer.verbatim(wrapped.map((line) => paintLine(colours, line)));
}

/** Colors a line by its mark: +, - or ~. */
function paintLine({ green, red, magenta }: ChalkInstance, line: string): string {
  const paint = { '+': green, '-': red, '~': magenta }[line.trimStart().slice(0, 1)];
  return paint?.(line) ?? line;
}

/** The style with the names that a plan shows; for programs, those of all who gain or lose roles. */
export async function createPlanStyle(context: Context, plan: Plan): Promise<TextStyle> {
  const style = createTextStyle(context);
  const subjects = plan.roles.flatMap(({ kind, id }) => (kind === 'service' ? [] : [id]));
  const shown = context.printer.isForPeople ? listShownIds(plan, style) : subjects;
  return createNamedStyle(context, [...shown, ...listWarnedIds(plan)]);
}

/** The style with the names of ids. */
export async function createNamedStyle(context: Context, ids: readonly string[]): Promise<TextStyle> {
  const style = createTextStyle(context);
  const known = ids.filter((id) => idForm.test(id));
  return known.length === 0 ? style : { ...style, names: await context.findNames(known) };
}

/** Returns the wrap width and entry limit; `wide` has no entry limit. */
export function createTextStyle({ printer, io }: Context): TextStyle {
  const isWide = printer.format === 'wide';
  const width = io.stdout.isTTY ? (io.stdout.columns ?? 80) : 80;
  return { width: isWide ? Math.max(width, 120) : width, maxEntries: isWide ? Number.POSITIVE_INFINITY : 20 };
}
