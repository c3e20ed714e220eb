/** A plan in a file: what it is to do, and a fingerprint of what it relied on. It holds no secret. */
import { createHash } from 'node:crypto';
import { jsonText } from '../runtime/control-characters.ts';
import { readFileIfExists, replacePrivateFile } from '../runtime/private-files.ts';
import type { PlanDeps } from './deps.ts';
import { toPlanJson } from './format-plan.ts';
import type { Plan } from './plan.ts';
import type { PlanContent, PreparedPlan } from './prepare.ts';

const format = 'iam-plan/1';

export interface SavedPlan {
  readonly content: PlanContent;
  readonly prune: boolean;
  readonly fingerprint: string;
}

/** Says what would happen and to what: it is another one as soon as any of that is otherwise on the server. */
export function computeFingerprint({ changes, roles, guards }: Plan): string {
  return createHash('sha256').update(JSON.stringify({ changes, roles, guards })).digest('hex');
}

/** Writes a plan, readable by its owner alone. */
export async function savePlan(
  deps: PlanDeps,
  file: string,
  content: PlanContent,
  { plan }: PreparedPlan,
  prune: boolean,
): Promise<void> {
  const { set, entries } = content;
  const saved = {
    format,
    baseUrl: deps.baseUrl,
    prune,
    set,
    entries,
    fingerprint: computeFingerprint(plan),
    plan: toPlanJson(plan),
  };
  await replacePrivateFile(file, `${jsonText(saved, 2)}\n`).catch((error: NodeJS.ErrnoException) => {
    throw deps.usage(`${file} can't be written: ${error.code ?? error.message}.`);
  });
}

/** Reads a plan that is for this server. */
export async function loadPlan(deps: PlanDeps, file: string): Promise<SavedPlan> {
  const value = parseSavedPlan(await readFileIfExists(file).catch(() => undefined));
  if (value?.format !== format)
    throw deps.usage(
      `${file} is no saved plan.`,
      'Make one with `iam plan -f FILE --out PLAN`; documents are named with -f.',
    );
  const { baseUrl, prune, set, entries, fingerprint } = value;
  if (baseUrl !== deps.baseUrl) throw deps.usage(`The plan is for ${String(baseUrl)}, not for ${deps.baseUrl}.`);
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
