/** `iam bulk`: many calls, from a file of rows. */
import type { Command } from 'commander';
import { createBulkDeps } from '../bulk/deps.ts';
import { addCommand, setAction, varyingRoles } from '../command.ts';
import type { CliRuntime } from '../runtime/context.ts';

const rowsAre = `Rows are CSV with a heading, or JSON lines {"operation", "params", "query", "body", "ifMatch"}. Columns of CSV are the parameters and fields of the operation, those within objects by dots; values of a list are joined by semicolons, an empty cell says nothing. A column \`operation\` names the operation of each row.`;
const cellsAre =
  'Cells of CSV are decoded: an apostrophe before a formula character is removed, unless you add --csv-raw, and escapes of control characters such as \\u001b are read.';
const whatHappens = `The file is read twice, a row at a time: nothing is sent unless all rows can be. Each row is noted in a ledger before it is sent and after it was answered, so that running the same again goes on where it ended; a row whose answer never came is repeated only where the operation allows it, else reported as unknown. Refused rows go to a reject file that can be run once it is corrected. Where the server asks for a pause, all rows wait.`;

/** Adds the commands of the noun. */
export function addBulk(noun: Command, runtime: CliRuntime): void {
  addRunCommand(noun, runtime);
  addRetryCommand(noun, runtime);
}

function addRunCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'run', {
    title: 'Calls an operation for each row of a file',
    description: `${rowsAre} ${cellsAre}\n\n${whatHappens}`,
    roles: varyingRoles,
    effect: 'destructive',
    effectVaries: true,
    examples: [
      { title: 'Make a group of each row', command: 'groups.csv --operation groups.create' },
      { title: 'Gently, and with a report to look into', command: 'rows.jsonl --rate 10/s -o csv > report.csv' },
      {
        title: 'API keys, into a file that only you can read',
        command: 'keys.csv --operation api-key.create --secret-output keys.jsonl',
      },
      { title: 'Delete twelve users', command: 'gone.csv --operation user-identities.remove --confirm 12' },
    ],
  })
    .argument('<file>', 'File of rows, - is standard input')
    .option('--operation <id>', 'operation of rows that name none')
    .option('--ledger <file>', 'where to note what became of each row; beside the rows where not given')
    .option('--skip-invalid', 'put rows that can not be sent into the reject file, and send the others');
  addRunOptions(command);
  setAction(command, runtime, async (context, [file], options) => {
    const { runBulk } = await import('../bulk/index.ts');
    await runBulk(createBulkDeps(context), String(file), options);
  });
}

function addRetryCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'retry', {
    title: 'Sends the rows again that failed',
    description: `Those that were refused, and those without an answer whose operation may be repeated. The file of rows must be as it was. ${cellsAre}`,
    roles: varyingRoles,
    effect: 'destructive',
    effectVaries: true,
    examples: [
      { title: 'Of a file that is still where it was', command: 'groups.ledger' },
      { title: 'Also rows that may be done already', command: 'groups.ledger --repeat-unknown' },
    ],
  })
    .argument('<ledger>', 'Ledger of the run')
    .argument('[file]', 'The rows, where their file was moved or they came from standard input')
    .option('--repeat-unknown', 'also rows whose answer never came, although that may do them twice')
    .option('--skip-invalid', 'report rows that can not be sent, and send the others');
  addRunOptions(command);
  setAction(command, runtime, async (context, [ledger, file], options) => {
    const { retryBulk } = await import('../bulk/index.ts');
    await retryBulk(createBulkDeps(context), String(ledger), file as string | undefined, options);
  });
}

function addRunOptions(command: Command): void {
  command
    .option('--concurrency <number>', 'calls at the same time; 4 where not given')
    .option('--rate <number>', 'most calls in a second, 20/s, or in a minute, 600/m')
    .option('--max-errors <number>', 'begin no further row once so many failed')
    .option('--rejects <file>', 'where to put refused rows; beside the rows where not given')
    .option('--secret-output <file>', 'where to put secrets of answers, as JSON lines that only you can read');
  // Other commands that take much away may come to have it from where all leaves are made.
  if (!command.options.some(({ long }) => long === '--confirm'))
    command.option('--confirm <number>', 'how many rows delete something, in place of being asked');
}
