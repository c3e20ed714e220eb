/** From documents to a plan for a server: reads both, and ends where anything is wrong. Nothing here writes. */
import { type Desired, desiredOf, faultsOf } from './desired.ts';
import { type Documents, readDocuments } from './documents.ts';
import { type Fault, faultLines, placeOf } from './faults.ts';
import { administrativeRoles, type Caller } from './guards.ts';
import { type Plan, planOf } from './plan.ts';
import type { Made } from './pruning.ts';
import { readMore } from './reading.ts';
import { readRecord, recordPath } from './set-record.ts';
import { readSources } from './sources.ts';
import { nothingRead, type State } from './state.ts';
import type { Tools } from './tools.ts';
import { isEmpty, unread } from './unread.ts';

export interface Prepared {
  readonly plan: Plan;
  readonly desired: Desired;
  readonly state: State;
  readonly caller: Caller;
  /** The record of the set, where there is a set. */
  readonly record?: string | undefined;
}

export type Content = Pick<Documents, 'set' | 'entries' | 'places'>;

const mostFaults = 50;

/** Reads the documents; the set may be named beside them. */
export async function readContent(tools: Tools, files: readonly string[], set: string | undefined): Promise<Content> {
  const documents = readDocuments(tools.yaml, await readSources(tools, files));
  const asked = set ?? documents.set;
  if (set !== undefined && documents.set !== undefined && set !== documents.set)
    throw tools.usage(`--set is ${set}, and the documents are of the set ${documents.set}.`);
  if (asked !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(asked))
    throw tools.usage('The name of a set is 1 to 64 letters, digits and . _ -');
  throwFaults(tools, [...documents.faults, ...faultsOf(desiredOf(documents), documents)]);
  return { set: asked, entries: documents.entries, places: documents.places };
}

function throwFaults(tools: Tools, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const lines = faultLines(faults);
  const rest = lines.length > mostFaults ? [`and ${lines.length - mostFaults} more`] : [];
  const count = lines.length === 1 ? 'a fault' : `${lines.length} faults`;
  throw tools.failure(`The documents have ${count}; nothing was changed.`, {
    code: 'DOCUMENT_INVALID',
    exitCode: 2,
    fix: 'See docs/provisioning.md, or `iam export` for documents that fit.',
    lines: [...lines.slice(0, mostFaults), ...rest].map((line) => `  ${line}`),
  });
}

/** Reads the server as far as the documents ask, and plans. */
export async function prepare(tools: Tools, content: Content, prune: boolean): Promise<Prepared> {
  const desired = desiredOf(content);
  if (prune && content.set === undefined)
    throw tools.usage(
      '--prune needs a set: it removes only what an earlier apply of the same set made.',
      'Name one with --set, or `set:` in the document.',
    );
  const record =
    content.set === undefined ? undefined : recordPath(tools.baseUrl, content.set, tools.context.environment.variables);
  const recorded = record === undefined ? [] : await readRecord(record);
  const state = await readState(tools, desired, recorded, prune);
  const first = planOf({ desired, state, caller: {}, recorded, prune });
  throwFaults(
    tools,
    first.refusals.map(({ path, message }) => ({
      message,
      place: path === '' ? undefined : placeOf(content.places, path),
    })),
  );
  const caller = concernsAdministrators(first) ? await readCaller(tools) : {};
  const plan = planOf({ desired, state, caller, recorded, prune });
  return { plan, desired, state, caller, record };
}

async function readState(tools: Tools, desired: Desired, recorded: readonly Made[], prune: boolean): Promise<State> {
  let state = nothingRead;
  for (;;) {
    const wanted = unread(desired, state, recorded, prune);
    if (isEmpty(wanted)) return state;
    state = await readMore(tools, state, wanted);
  }
}

/** Whether it matters who applies the plan. */
function concernsAdministrators({ guards, changes, roles }: Plan): boolean {
  const losesRole = roles.some(({ loses }) => loses.some((role) => administrativeRoles.includes(role)));
  return (
    losesRole ||
    guards.lastAdministrator ||
    changes.some(({ kind, action }) => kind === 'client' && action === 'delete')
  );
}

async function readCaller(tools: Tools): Promise<Caller> {
  const {
    user_id: userId,
    business_id: businessId,
    client_id: clientId,
    service_id: serviceId,
  } = (await tools.claims()) ?? {};
  const caller = textsOf({ userId, businessId, clientId, serviceId });
  if (caller.userId !== undefined || caller.clientId === undefined) return caller;
  const page = await tools.control('/_iam/clients', { name: caller.clientId, limit: 1000 });
  const own = page?.items.find((client) => (client as { clientId?: string }).clientId === caller.clientId);
  const { authorities, serviceAccountId } = (own ?? {}) as { authorities?: string[]; serviceAccountId?: string };
  return { ...caller, ...(authorities ? { authorities } : {}), serviceId: caller.serviceId ?? serviceAccountId };
}

function textsOf(values: Readonly<Record<string, unknown>>): Caller {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string'));
}
