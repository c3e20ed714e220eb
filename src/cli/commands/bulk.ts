/** `iam bulk`: sends one request for each row of a file. */
import type { Command } from 'commander';
import { addCommand, setAction, varyingRoles } from '../command.ts';
import type { CliRuntime } from '../context.ts';
import { declareValueSources } from '../prompts/value-sources.ts';

const rowFormatNote = `The file is CSV with a header row, or JSON lines with the same names, or with the parts of the request: {"operation", "params", "query", "body", "ifMatch"}; it is UTF-8, or UTF-16 with a byte order mark. Commas, semicolons or tabs separate CSV cells, as in the header row. CSV columns are the parameters and fields of the operation, with dots for nested fields; list values are separated by semicolons, and empty cells are ignored. The type of a field decides what a cell means: text stays as it is, and a number with a leading zero, or a name with a space at an end, is an error. A column \`operation\` sets the operation of each row; with --operation, another one is an error unless you use --allow-other-operations.`;
const cellFormatNote =
  'CSV cells are decoded: an apostrophe before a formula character is removed (unless you use --csv-raw), and escapes of control characters such as \\u001b are resolved.';
const executionNote = `A private copy of the file is read twice, one row at a time: all rows are validated before the first one is sent. The resume log records each row before it is sent and after its response, so running the same command again resumes where it stopped. A row without a response is repeated only if its operation is idempotent; otherwise it is reported as unknown. Rejected rows are written to a reject file that you can correct and run. If the server returns Retry-After, all rows wait.`;

export function addBulk(noun: Command, runtime: CliRuntime): void {
  addRunCommand(noun, runtime);
  addRetryCommand(noun, runtime);
}

function addRunCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'run', {
    title: 'Run an operation for each row of a file',
    description: `${rowFormatNote} ${cellFormatNote}\n\n${executionNote}`,
    roles: varyingRoles,
    effect: 'destructive',
    effectVaries: true,
    examples: [
      { title: 'Create a group for each row', command: 'groups.csv --operation groups.create' },
      { title: 'Limit the rate and write a report', command: 'rows.jsonl --rate 10/s -o csv > report.csv' },
      {
        title: 'Create API keys and write them to a private file',
        command: 'keys.csv --operation api-key.create --secret-output keys.jsonl',
      },
      { title: 'Delete twelve users', command: 'gone.csv --operation user-identities.remove --confirm 12' },
    ],
  })
    .argument('<file>', 'File with rows, - for standard input')
    .option('--operation <name>', 'operation of the rows, by its id or command')
    .option('--resume-log <file>', 'file that records the state of each row, default next to the input file')
    .option('--skip-invalid', 'write invalid rows to the reject file and send the others');
  addRunOptions(command, 'next to the input file');
  declareValueSources(command, { '--operation': 'operation' });
  setAction(command, runtime, async (context, [file], options) => {
    const [{ runBulk }, { findRowUpdate }] = await Promise.all([
      import('../bulk/index.ts'),
      import('./update/rows.ts'),
    ]);
    await runBulk(context, String(file), options, findRowUpdate);
  });
}

function addRetryCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'retry', {
    title: 'Retry the failed rows of a run',
    description: `Sends rejected rows again, and rows without a response if their operation is idempotent. The input file must be unchanged. Rows and reject file are in the folder of the resume log, or named on the command line. ${cellFormatNote}`,
    roles: varyingRoles,
    effect: 'destructive',
    effectVaries: true,
    examples: [
      { title: 'Retry the failed rows', command: 'groups.resume-log' },
      { title: 'Also retry rows that may have been applied', command: 'groups.resume-log --repeat-unknown' },
    ],
  })
    .argument('<resume-log>', 'Resume log of the run')
    .argument('[file]', 'Input file, if it was moved or read from standard input')
    .option('--repeat-unknown', 'also retry rows without a response, which may apply them twice')
    .option('--skip-invalid', 'report invalid rows and send the others');
  addRunOptions(command, 'that of the run');
  setAction(command, runtime, async (context, [resumeLog, file], options) => {
    const [{ retryBulk }, { findRowUpdate }] = await Promise.all([
      import('../bulk/index.ts'),
      import('./update/rows.ts'),
    ]);
    await retryBulk(context, String(resumeLog), file as string | undefined, options, findRowUpdate);
  });
}

function addRunOptions(command: Command, usualRejects: string): void {
  command
    .option('--concurrency <number>', 'maximum concurrent requests, default 16')
    .option('--rate <number>', 'maximum rate per second (20/s) or per minute (600/m)')
    .option('--delimiter <character>', 'delimiter of CSV cells: , ; | or tab; default from the header row')
    .option('--allow-other-operations', 'send rows that name another operation than the run')
    .option('--max-errors <number>', 'stop after this many failed rows')
    .option('--if-not-exists', 'if what a row creates exists, report its id and count the row as done')
    .option('--rejects <file>', `file for rejected rows, default ${usualRejects}`)
    .option('--secret-output <file>', 'private file for secrets in responses, as JSON lines');

  if (!command.options.some(({ long }) => long === '--confirm'))
    command.option('--confirm <number>', 'number of destructive rows, to confirm without a prompt');
}
