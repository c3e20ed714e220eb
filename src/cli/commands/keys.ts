/** `iam keys list` and `iam keys rotate`. `iam keys` itself is a generated command. */
import type { Command } from 'commander';
import { type ApiResponse, asPage } from '../../client/response.ts';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime } from '../context.ts';
import { buildListShape, callControlPlane, controlPlaneNote } from '../request/control-plane.ts';
import { sendControlWrite } from '../request/control-requests.ts';
import { printPages } from '../request/pagination.ts';

const path = '/_iam/keys/rotate';
const columns = ['kid', 'state', 'alg', 'createdAt', 'retiredAt', 'expiresAt'];
/** Key ids are long: a table has no space for more. */
const tableColumnCount = 2;

export function addKeysList(keys: Command, runtime: CliRuntime): void {
  const command = addCommand(keys, 'list', {
    title: 'List signing keys with state and dates',
    description: `Without the keys themselves. \`iam keys\` prints the public keys. ${controlPlaneNote}`,
    effect: 'read',
    examples: [{ title: 'With dates: until when tokens of retired keys are accepted', command: '-o wide' }],
  }).alias('ls');
  setAction(command, runtime, (context) => {
    const source = async () => asPage((await callControlPlane(context, 'GET', '/_iam/keys')) as ApiResponse);
    return printPages(context, source, buildListShape(columns, tableColumnCount), { all: true });
  });
}

export function addKeysRotate(keys: Command, runtime: CliRuntime): void {
  const command = addCommand(keys, 'rotate', {
    title: 'Rotate the signing key',
    description: `Tokens signed with previous keys stay valid until they expire; the response contains the retirement time of those keys. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'Rotate the key now', command: '' },
      { title: 'Preview the request', command: '--dry-run' },
    ],
  });
  setAction(command, runtime, (context, _, options) =>
    sendControlWrite(context, options, { method: 'POST', path, done: '' }),
  );
}
