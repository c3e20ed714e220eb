/** A saved plan: the documents and a fingerprint of the planned changes. Contains no secrets. */
import { createHash } from 'node:crypto';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { jsonText } from '../io/control-characters.ts';
import { readFileIfExists, replacePrivateFile } from '../io/private-files.ts';
import { toPlanJson } from './format-plan.ts';
import type { Plan } from './plan.ts';
import type { PlanContent, PreparedPlan } from './prepare.ts';

const format = 'iam-plan/1';

export interface SavedPlan {
  readonly content: PlanContent;
  readonly prune: boolean;
  readonly fingerprint: string;
}

/** Hashes changes, role effects and guards, so that a relevant change on the server changes the fingerprint. */
export function computeFingerprint({ changes, roles, guards }: Plan): string {
  return createHash('sha256').update(JSON.stringify({ changes, roles, guards })).digest('hex');
}

/** Writes a plan with owner-only permissions. */
export async function savePlan(
  { settings }: Context,
  file: string,
  content: PlanContent,
  { plan }: PreparedPlan,
  prune: boolean,
): Promise<void> {
  const { set, entries } = content;
  const saved = {
    format,
    baseUrl: resolveBaseUrl(settings),
    prune,
    set,
    entries,
    fingerprint: computeFingerprint(plan),
    plan: toPlanJson(plan),
  };
  await replacePrivateFile(file, `${jsonText(saved, 2)}\n`);
}

/** Reads a plan. @throws CliError if it is not a plan for this server */
export async function loadPlan({ settings }: Context, file: string): Promise<SavedPlan> {
  const value = parseSavedPlan(await readFileIfExists(file).catch(() => undefined));
  if (value?.format !== format)
    throw usageError(
      `${file} is not a saved plan.`,
      'Create one with `iam plan -f FILE --out PLAN`, or name documents with -f.',
    );
  const { baseUrl, prune, set, entries, fingerprint } = value;
  const currentUrl = resolveBaseUrl(settings);
  if (baseUrl !== currentUrl) throw usageError(`The plan is for ${String(baseUrl)}, not for ${currentUrl}.`);
  const content = { set, entries, positions: new Map() } as unknown as PlanContent;
  return { content, prune: prune === true, fingerprint: String(fingerprint) };
}

function parseSavedPlan(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text ?? '') as unknown;
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
