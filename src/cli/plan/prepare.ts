/** Reads documents and server, and builds a plan. Never writes. */

import type { EntityName } from '../../contract/entities.ts';
import type { CommandOptions, Context } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { AmbiguousNameError, NameResolver } from '../request/resolve-names.ts';
import { readCaller } from './caller.ts';
import { buildDesiredState, validateDesiredState, withStoredNames } from './desired-state.ts';
import {
  type Diagnostic,
  type Documents,
  formatDiagnostics,
  getDocumentFiles,
  parseDocuments,
  readSources,
} from './documents.ts';
import { administrativeRoles } from './guards.ts';
import { assertSetName, emptyInventory, getInventoryPath, readInventory } from './inventory.ts';
import { resolveMemberNames } from './member-names.ts';
import type { PlanIssue } from './model/changes.ts';
import type { DesiredState } from './model/desired-entries.ts';
import { emptyRemoteState, type PlanCaller, type RemoteState } from './model/remote-state.ts';
import { buildPlan, type Plan } from './plan.ts';
import { resolveOwnership, type SetOwnership } from './prune.ts';
import { computeRefreshScope, isEmptyScope, isLastScope, type RefreshScope, refresh } from './refresh.ts';

export interface PreparedPlan {
  readonly plan: Plan;
  readonly desired: DesiredState;
  readonly state: RemoteState;
  readonly caller: PlanCaller;
  readonly ownership: SetOwnership;
  /** Record file of the set, if a set is used. */
  readonly inventoryFile?: string | undefined;
}

export type PlanContent = Pick<Documents, 'set' | 'entries' | 'findPosition'>;

const maxDiagnostics = 50;

/** Reads and validates the documents. */
export async function readContent({ io }: Context, options: CommandOptions): Promise<PlanContent> {
  const set = options.set as string | undefined;
  const documents = parseDocuments(await readSources(io, getDocumentFiles(options)));
  const setName = set ?? documents.set;
  if (set !== undefined && documents.set !== undefined && set !== documents.set)
    throw usageError(`--set is ${set}, but the documents belong to the set ${documents.set}.`);
  if (setName !== undefined) assertSetName(setName);
  assertNoDiagnostics([...documents.diagnostics, ...validateDesiredState(buildDesiredState(documents), documents)]);
  return { set: setName, entries: documents.entries, findPosition: documents.findPosition };
}

function assertNoDiagnostics(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  const lines = formatDiagnostics(diagnostics);
  const rest = lines.length > maxDiagnostics ? [`and ${lines.length - maxDiagnostics} more`] : [];
  const count = lines.length === 1 ? 'an error' : `${lines.length} errors`;
  throw new CliError(`The documents have ${count}. Nothing was changed.`, {
    code: 'DOCUMENT_INVALID',
    exitCode: 2,
    hint: 'See docs/provision.md, or `iam export` for an example.',
    lines: [...lines.slice(0, maxDiagnostics), ...rest].map((line) => `  ${line}`),
  });
}

/**
 * Reads the required remote state and builds the plan.
 * @param claimed resources of unclear creations that belong to the set, as kind and id
 * @throws CliError if the plan has issues
 */
export async function prepare(
  context: Context,
  content: PlanContent,
  prune: boolean,
  claimed?: ReadonlySet<string>,
): Promise<PreparedPlan> {
  const documents = buildDesiredState(content);
  if (prune && content.set === undefined)
    throw usageError(
      '--prune requires a set: it deletes only what an earlier apply of the set created.',
      'Name the set with --set or `set:` in the document.',
    );
  const inventoryFile = findInventoryFile(context, content);
  const inventory = inventoryFile === undefined ? emptyInventory : await readInventory(inventoryFile);
  const own = (known: RemoteState) => resolveOwnership(inventory, known, claimed);
  const names = new DocumentNames(context);
  const { desired, state } = await readState(context, names, documents, (known, wanted) =>
    computeRefreshScope(wanted, known, own(known).managed, inventory.pending, prune),
  );
  const ownership = own(state);
  const { managed: recorded, adopted, unclear } = ownership;
  const input = { desired, state, recorded, adopted, unclear, prune };
  // Two names can be those of one entity.
  if (desired !== documents) assertNoDiagnostics(validateDesiredState(desired, content));
  const draft = buildPlan({ ...input, caller: {} });
  const ambiguous = findAmbiguousValues(content.entries, names.rejected);
  const reported = new Set(ambiguous.flatMap((one) => [one.path, entryOf(one.path)]));
  const issues = draft.issues.filter(({ path }) => !reported.has(path));
  assertNoDiagnostics(
    [...ambiguous, ...names.issues, ...issues].map(({ path, message }) => ({
      message,
      position: path === '' ? undefined : content.findPosition(path),
    })),
  );
  const isCallerNeeded = affectsAdministrators(draft);
  const caller = isCallerNeeded ? await readCaller(context) : {};
  const plan = isCallerNeeded ? buildPlan({ ...input, caller }) : draft;
  return { plan, desired, state, caller, ownership, inventoryFile };
}

/** Returns the record file of the set, if a set is used. */
export function findInventoryFile({ settings, environment }: Context, { set }: PlanContent): string | undefined {
  return set === undefined ? undefined : getInventoryPath(resolveBaseUrl(settings), set, environment.variables);
}

/** Names that are not resolved are reported with all other errors of the documents. */
class DocumentNames extends NameResolver {
  /** By entity and value. */
  readonly rejected = new Map<string, string>();
  /** What is wrong with names that are resolved. */
  readonly issues: PlanIssue[] = [];

  constructor(context: Context) {
    super(context, false, false);
  }

  override async resolve(reference: Parameters<NameResolver['resolve']>[0], typed: string): Promise<string> {
    try {
      return await super.resolve(reference, typed);
    } catch (error) {
      if (!(error instanceof AmbiguousNameError)) throw error;
      this.rejected.set(`${reference.entity} ${typed}`, error.problem);
      return typed;
    }
  }
}

/** What the fields of documents refer to by name. */
const namedFields = new Map<string, EntityName>([
  ['users', 'user'],
  ['userId', 'user'],
  ['businesses', 'business'],
  ['businessId', 'business'],
]);

/** The path of the entry of a list whose field this is; the path itself if it is no such field. */
function entryOf(path: string): string {
  const at = path.lastIndexOf('/');
  return namedFields.has(path.slice(at + 1)) ? path.slice(0, at) : path;
}

/** The places of values in documents that name no single entity. */
function findAmbiguousValues(entries: Documents['entries'], rejected: ReadonlyMap<string, string>): PlanIssue[] {
  const find = (value: unknown, path: string, field: string): PlanIssue[] => {
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).flatMap(([key, part]) =>
        find(part, path === '' ? key : `${path}/${key}`, Array.isArray(value) ? field : key),
      );
    const message = rejected.get(`${namedFields.get(field)} ${value}`);
    // The id of a customer is no name.
    const isId = path.startsWith('customers/') && field === 'businessId';
    return message === undefined || isId ? [] : [{ path, message }];
  };
  if (rejected.size === 0) return [];
  const found = find(entries, '', '');
  // A name that is not resolved is never used as an id.
  return found.length > 0 ? found : [...rejected.values()].map((message) => ({ path: '', message }));
}

/** Reads what the plan depends on, and resolves names of members in the documents. */
async function readState(
  context: Context,
  names: DocumentNames,
  documents: DesiredState,
  computeScope: (state: RemoteState, desired: DesiredState) => RefreshScope,
): Promise<{ readonly desired: DesiredState; readonly state: RemoteState }> {
  let desired = documents;
  let state = emptyRemoteState;
  let hasResolved = false;
  for (;;) {
    const scope = computeScope(state, desired);
    if (!isEmptyScope(scope)) {
      state = await refresh(context, state, scope);
      desired = withStoredNames(desired, state);
    }
    if (!isLastScope(scope)) continue;
    const resolved = hasResolved ? undefined : await resolveMemberNames(names, desired, state, names.issues);
    if (!resolved) return { desired, state };
    desired = resolved;
    hasResolved = true;
  }
}

/** Whether the plan can affect administrators, so that the caller must be known. */
function affectsAdministrators({ guards, changes, roles }: Plan): boolean {
  const losesRole = roles.some(({ loses }) => loses.some((role) => administrativeRoles.includes(role)));
  return (
    losesRole ||
    guards.lastAdministrator ||
    changes.some(({ kind, action }) => kind === 'client' && action === 'delete')
  );
}
