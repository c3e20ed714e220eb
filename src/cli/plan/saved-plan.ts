/** A saved plan: the documents and a fingerprint of the planned changes. Contains no secrets. */
import { createHash } from 'node:crypto';
import { parseJson } from '../../lib/json-text.ts';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { jsonText } from '../io/control-characters.ts';
import { readFileIfExists, replacePrivateFile } from '../io/private-files.ts';
import { toPlanJson } from './format-plan.ts';
import { type PlanBasis, toBasisChange } from './model/plan-basis.ts';
import type { Plan } from './plan.ts';
import type { PlanContent, PreparedPlan } from './prepare.ts';
import { createPlanStyle } from './print-plan.ts';

const format = 'iam-plan/2';

export interface SavedPlan {
  readonly content: PlanContent;
  readonly prune: boolean;
  readonly fingerprint: string;
  readonly basis: PlanBasis;
}

/** Hashes changes, role effects and guards, so that a relevant change on the server changes the fingerprint. */
export function computeFingerprint({ changes, roles, guards }: Plan): string {
  return createHash('sha256').update(JSON.stringify({ changes, roles, guards })).digest('hex');
}

/** Writes a plan with owner-only permissions. */
export async function savePlan(
  context: Context,
  file: string,
  content: PlanContent,
  { plan }: PreparedPlan,
  prune: boolean,
): Promise<void> {
  const { set, entries } = content;
  const saved = {
    format,
    baseUrl: resolveBaseUrl(context.settings),
    prune,
    set,
    entries,
    fingerprint: computeFingerprint(plan),
    basis: toPlanBasis(plan),
    plan: toPlanJson(plan, await createPlanStyle(context, plan)),
  };
  await replacePrivateFile(file, `${jsonText({ ...saved, checksum: computeChecksum(saved) }, 2)}\n`);
}

/** Reads a plan. @throws CliError if it is not a plan for this server */
export async function loadPlan({ settings }: Context, file: string): Promise<SavedPlan> {
  const text = await readFileIfExists(file).catch(() => '');
  const value = parseSavedPlan(text);
  if (typeof value?.format !== 'string' || !value.format.startsWith('iam-plan/'))
    throw usageError(
      text === undefined ? `Cannot read ${file}: file not found.` : `${file} is not a saved plan.`,
      'Create one with `iam plan -f FILE --out PLAN`, or name documents with -f.',
    );
  const { checksum, ...saved } = value;
  const { baseUrl, prune, set, entries, fingerprint, basis } = saved;
  assertUnedited(file, saved, checksum);
  const currentUrl = resolveBaseUrl(settings);
  if (baseUrl !== currentUrl) throw usageError(`The plan is for ${String(baseUrl)}, not for ${currentUrl}.`);
  const content = { set, entries, findPosition: () => undefined } as unknown as PlanContent;
  return { content, prune: prune === true, fingerprint: String(fingerprint), basis: basis as PlanBasis };
}

/** The hint how to replace a plan that cannot be applied. */
export function formatReplanHint(file: string, prune: boolean): string {
  const quoted = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
  return `Create a new plan with \`iam plan -f FILE${prune ? ' --prune' : ''} --out ${quoted}\`, and review it.`;
}

/** What the plan was made from, for the report of what changed since. */
export function toPlanBasis({ changes, roles, guards }: Plan): PlanBasis {
  return { changes: changes.map(toBasisChange), roles, guards };
}

/** Only this version's format can be compared, and only if the file is as it was saved. */
function assertUnedited(file: string, saved: Readonly<Record<string, unknown>>, checksum: unknown): void {
  const hint = formatReplanHint(file, saved.prune === true);
  if (saved.format !== format)
    throw usageError(
      `${file} was saved by another version of iam: its format is ${String(saved.format)}, this version reads ${format}. Nothing was changed.`,
      hint,
    );
  if (computeChecksum(saved) !== checksum)
    throw usageError(`${file} was changed after it was saved. Nothing was changed.`, hint);
}

/** Detects edits of the file, not forgery: anyone can recompute it. */
function computeChecksum(saved: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(JSON.stringify(saved)).digest('hex');
}

function parseSavedPlan(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
