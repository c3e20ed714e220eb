/** A plan in a file: what it is to do, and a fingerprint of what it relied on. It holds no secret. */
import { createHash } from 'node:crypto';
import { jsonText } from '../runtime/control-characters.ts';
import { readIfThere, replaceFile } from '../runtime/files.ts';
import type { Plan } from './plan.ts';
import type { Content, Prepared } from './preparing.ts';
import { planData } from './text.ts';
import type { Tools } from './tools.ts';

const format = 'iam-plan/1';

export interface SavedPlan {
  readonly content: Content;
  readonly prune: boolean;
  readonly fingerprint: string;
}

/** Says what would happen and to what: it is another one as soon as any of that is otherwise on the server. */
export function fingerprintOf({ changes, roles, guards }: Plan): string {
  return createHash('sha256').update(JSON.stringify({ changes, roles, guards })).digest('hex');
}

/** Writes a plan, readable by its owner alone. */
export async function savePlan(
  tools: Tools,
  file: string,
  content: Content,
  { plan }: Prepared,
  prune: boolean,
): Promise<void> {
  const { set, entries } = content;
  const saved = {
    format,
    baseUrl: tools.baseUrl,
    prune,
    set,
    entries,
    fingerprint: fingerprintOf(plan),
    plan: planData(plan),
  };
  await replaceFile(file, `${jsonText(saved, 2)}\n`).catch((error: NodeJS.ErrnoException) => {
    throw tools.usage(`${file} can't be written: ${error.code ?? error.message}.`);
  });
}

/** Reads a plan that is for this server. */
export async function loadPlan(tools: Tools, file: string): Promise<SavedPlan> {
  const value = parsed(await readIfThere(file).catch(() => undefined));
  if (value?.format !== format)
    throw tools.usage(
      `${file} is no saved plan.`,
      'Make one with `iam plan -f FILE --out PLAN`; documents are named with -f.',
    );
  const { baseUrl, prune, set, entries, fingerprint } = value;
  if (baseUrl !== tools.baseUrl) throw tools.usage(`The plan is for ${String(baseUrl)}, not for ${tools.baseUrl}.`);
  const content = { set, entries, places: new Map() } as unknown as Content;
  return { content, prune: prune === true, fingerprint: String(fingerprint) };
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text ?? '') as unknown;
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
