/** `iam keys list` and `iam keys rotate`. `iam keys` itself is a generated command. */
import type { Command } from 'commander';
import { type ApiResponse, asPage } from '../../client/response.ts';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { getTerminalWidth } from '../io/io.ts';
import { type DetailList, formatDetails } from '../output/details.ts';
import type { TableRow } from '../output/table.ts';
import { assertConfirmed } from '../request/confirm.ts';
import { buildListShape, callControlPlane, controlPlaneNote, controlRequestPreview } from '../request/control-plane.ts';
import { printPages } from '../request/pagination.ts';
import { printRequestPreview } from '../request/preview.ts';

const path = '/_iam/keys/rotate';
const columns = ['state', 'purpose', 'createdAt', 'expiresAt', 'kid', 'alg', 'retiredAt'];
const tableColumnCount = 5;
/** No command takes the id of a key: a table of 80 columns truncates it, not the dates. */
const fit = { text: ['kid'], required: columns.slice(0, tableColumnCount) };

export function addKeysList(keys: Command, runtime: CliRuntime): void {
  const command = addCommand(keys, 'list', {
    title: 'List signing keys with state and dates',
    description: `Without the keys themselves. \`iam keys\` prints the public keys. ${controlPlaneNote}`,
    effect: 'read',
    examples: [{ title: 'With whole ids and algorithms', command: '-o wide' }],
  }).alias('ls');
  setAction(command, runtime, (context) => {
    const source = async () => asPage((await callControlPlane(context, 'GET', '/_iam/keys')) as ApiResponse);
    return printPages(context, source, { ...buildListShape(columns, tableColumnCount), ...fit }, { all: true });
  });
}

export function addKeysRotate(keys: Command, runtime: CliRuntime): void {
  const command = addCommand(keys, 'rotate', {
    title: 'Rotate the signing keys',
    description: `Tokens signed with previous keys stay valid until they expire; the response contains the retirement time of those keys. Applications that never fetch the keys again reject the new tokens. ${controlPlaneNote}`,
    effect: 'destructive',
    examples: [{ title: 'Rotate the keys in a script', command: '--yes' }],
  });
  setAction(command, runtime, (context, _, options) => rotate(context, options));
}

async function rotate(context: Context, options: CommandOptions): Promise<void> {
  if (options.dryRun === true) return printRequestPreview(context, controlRequestPreview(context, 'POST', path));
  await assertConfirmed(context, `Rotate the signing keys of ${resolveBaseUrl(context.settings)}?`, options);
  const body = (await callControlPlane(context, 'POST', path)).body as TableRow;
  const { printer, settings, io } = context;
  if (!printer.isForPeople || settings.options.columns !== undefined) return printer.value(body);
  printer.verbatim(await formatDetails(body, [retiredKeys], getTerminalWidth(io.stdout)));
}

const retiredKeys: DetailList = { property: 'retired', text: ['kid'], toRow: ({ until, kid }) => ({ until, kid }) };
