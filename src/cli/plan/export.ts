/** `iam export`. */
import type { CommandOptions } from '../context.ts';
import type { PlanDeps } from './deps.ts';
import { buildExportDocument } from './export-document.ts';
import { refresh } from './refresh.ts';
import { emptyScope } from './refresh-scope.ts';
import { emptyRemoteState, type RemoteState } from './remote-state.ts';
import { type KindName, kindNames } from './schema.ts';

/** Prints the resources of the server as a document. */
export async function runExport(deps: PlanDeps, options: CommandOptions): Promise<void> {
  const { printer, notice } = deps.context;
  if (['jsonl', 'csv', 'name'].includes(printer.format))
    throw deps.usage(`Cannot export as ${printer.format}: a document is YAML or JSON.`, 'Remove -o, or use -o json.');
  const requested = (options.kind as readonly KindName[] | undefined) ?? kindNames;
  const hasControl = (await deps.readControlPage('/_iam/clients', { limit: 1 })) !== undefined;
  const kinds =
    hasControl || options.kind !== undefined
      ? requested
      : requested.filter((kind) => !controlPlaneKinds.includes(kind));
  if (!hasControl) notice('The control plane is disabled: clients, customers and business users are not exported.');
  const document = buildExportDocument(await readRemoteState(deps, kinds, hasControl), kinds);
  if (printer.format === 'json') await printer.value(document);
  else printer.verbatim([deps.yaml.formatYaml(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()]);
}

/** Kinds that only the control plane lists. */
const controlPlaneKinds: readonly KindName[] = ['clients', 'customers'];

async function readRemoteState(deps: PlanDeps, kinds: readonly KindName[], hasControl: boolean): Promise<RemoteState> {
  // API keys refer to the service accounts of their clients.
  const lists = kindNames.filter(
    (kind) => kinds.includes(kind) || (kind === 'clients' && hasControl && kinds.includes('apiKeys')),
  );
  const state = await refresh(deps, emptyRemoteState, { ...emptyScope, lists });
  return refresh(deps, state, { ...emptyScope, members: [...(state.groups?.keys() ?? [])] });
}
