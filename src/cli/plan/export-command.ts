/** `iam export`. */
import type { Options } from '../leaf.ts';
import { exportOf } from './exporting.ts';
import { readMore } from './reading.ts';
import { type KindName, kindNames } from './schema.ts';
import { nothingRead, type State } from './state.ts';
import type { Tools } from './tools.ts';
import { none } from './unread.ts';

/** Prints a document of what the server has. */
export async function runExport(tools: Tools, options: Options): Promise<void> {
  const { printer, notice } = tools.context;
  if (['jsonl', 'csv', 'name'].includes(printer.format))
    throw tools.usage(`A document is YAML or JSON, not ${printer.format}.`, 'Leave -o out, or give -o json.');
  const asked = (options.kind as readonly KindName[] | undefined) ?? kindNames;
  const hasControl = (await tools.control('/_iam/clients', { limit: 1 })) !== undefined;
  const wanted = hasControl || options.kind !== undefined ? asked : asked.filter((kind) => !byControl.includes(kind));
  if (!hasControl)
    notice('The server has no control plane: no clients, no customers, no members in the name of a business.');
  const document = exportOf(await readAll(tools, wanted, hasControl), wanted);
  if (printer.format === 'json') await printer.value(document);
  else printer.verbatim([tools.yaml.yamlText(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()]);
}

/** Kinds that nothing but the control plane lists. */
const byControl: readonly KindName[] = ['clients', 'customers'];

async function readAll(tools: Tools, wanted: readonly KindName[], hasControl: boolean): Promise<State> {
  // Keys are told by the service accounts of their clients where those are known.
  const lists = kindNames.filter(
    (kind) => wanted.includes(kind) || (kind === 'clients' && hasControl && wanted.includes('apiKeys')),
  );
  const state = await readMore(tools, nothingRead, { ...none, lists });
  return readMore(tools, state, { ...none, members: [...(state.groups?.keys() ?? [])] });
}
