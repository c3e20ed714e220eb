/** `iam help`: help on a command, or on a topic that belongs to all of them. */
import type { Command } from 'commander';
import { findNearest } from '../find-operation.ts';
import { usageError } from '../runtime/errors.ts';
import { exitCodes, serveExitCodes } from '../runtime/exit-codes.ts';
import { getTextOutput, type Io } from '../runtime/io.ts';
import { settingDefinitions } from '../runtime/settings.ts';

export const topics: Readonly<Record<string, () => readonly string[]>> = {
  'exit-codes': listExitCodes,
  environment: listVariables,
  output: describeOutput,
  filters: listFilters,
};

/** Adds the command. */
export function addHelp(program: Command, io: Io): void {
  program
    .command('help')
    .summary('Shows help on a command, or on exit-codes, environment, output or filters')
    .argument('[words...]', 'Words of the command, or a topic')
    .action((given: readonly string[]) => {
      const topic = topics[given[0] ?? ''];
      if (topic) getTextOutput(io).write(`${topic().join('\n')}\n`);
      else findCommand(program, given).outputHelp();
    });
}

function findCommand(program: Command, given: readonly string[]): Command {
  let found = program;
  for (const word of given) {
    const below = found.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (!below) throw unknownTopicError(found, word);
    found = below;
  }
  return found;
}

function unknownTopicError(command: Command, word: string) {
  const names = [...command.commands.flatMap((below) => [below.name(), ...below.aliases()]), ...Object.keys(topics)];
  const near = findNearest(word, names);
  return usageError(`There is no help on ${JSON.stringify(word)}.${near ? ` Did you mean ${near}?` : ''}`);
}

function listExitCodes(): string[] {
  const line = ({ code, meaning }: { code: number; meaning: string }) => `${String(code).padStart(5)}  ${meaning}`;
  return [
    'Exit codes',
    '',
    ...exitCodes.map(line),
    '',
    'Besides, of `iam serve` and `iam store`:',
    '',
    ...serveExitCodes.map(line),
  ];
}

function listFilters(): string[] {
  return [
    'Filters',
    '',
    'Lists take filters of their own, which the server applies; --help has them:',
    '',
    '  iam groups list --role DEPLOY         groups that have a role themselves',
    '  iam requests list --status 4xx        calls that were refused',
    '',
    'How much of a list is printed; a notice says where more exists:',
    '',
    '  --limit 20     at most so many entries; 100 where not given',
    '  --all          every entry, read page by page',
    '',
    'What is shown of it, in every format; JMESPath, over the whole result:',
    '',
    '  --query "[?contains(roles, \'DEPLOY\')]"        entries that have a value',
    '  --query "[?starts_with(groupName, \'ops\')]"    entries by their start',
    '  --query "[].groupName"                         one field of each',
    '  --query "length(@)"                            how many there are',
    '  --query "sort_by(@, &groupName)[0]"            the first of a new order',
    '  --columns groupName,roles                      columns of table and csv',
    '',
    'For names or ids alone, to hand on: -o name. `iam help output` has the formats.',
  ];
}

function listVariables(): string[] {
  const others = [
    ['XDG_CONFIG_HOME', 'Folder of the profiles: iam/config.json in it'],
    ['XDG_CACHE_HOME', 'Folder of tokens and names that are kept between runs'],
    ['XDG_STATE_HOME', 'Folder of sets, and of the logs of servers'],
    ['NO_COLOR, FORCE_COLOR', 'No colour; colour also where no terminal is'],
    ['CI', 'Never ask, as with --no-input'],
    ['HTTPS_PROXY, HTTP_PROXY', 'Proxies, but for this machine and NO_PROXY'],
    ['.iamrc.json', 'File of a project, found upwards: no secrets'],
  ];
  const rows = [...settingDefinitions.map(({ environment, meaning }) => [environment, meaning]), ...others];
  const lines = rows.map(([name = '', meaning]) => `  ${name.padEnd(22)}  ${meaning}`);
  return [
    'Environment',
    '',
    ...lines,
    '',
    'An option goes before the environment, that before the file of a project, that',
    'before a profile; a profile named with --profile goes before the environment.',
    'Credentials are sent over http to this machine only, unless --insecure-http or',
    'IAM_INSECURE_HTTP=true allows other hosts. Credentials in the environment are',
    'never sent to a server that only a project file (.iamrc.json) names, by URL or',
    'by profile: name the server with --base-url or IAM_BASE_URL.',
    'Of read-only, protected and max-changes the strictest of all places holds.',
    '`iam serve --help` has the variables of the server.',
  ];
}

function describeOutput(): string[] {
  return [
    'Output',
    '',
    'Standard output is data only; notices, questions and errors go to stderr.',
    '',
    '  -o table  columns for people (the default), cut to the width of a terminal',
    '  -o wide   the same, never cut',
    '  -o json   one JSON document',
    '  -o jsonl  one JSON value a line',
    '  -o yaml   one YAML document',
    '  -o csv    a heading and a line for each entry; lists within a field are',
    '            joined by semicolons. What a spreadsheet would take for a formula,',
    '            at the start of a cell or behind a semicolon, a tab or a line break',
    '            in it, gets an apostrophe in front, which `iam bulk` takes away',
    '            again; --csv-raw writes and reads such cells as they are',
    '  -o name   names or ids alone, one a line, for other commands',
    '',
    'Control and bidirectional characters are escaped in every format, as in \\u001b;',
    'json, jsonl and yaml still hold the same value, and `iam bulk` reads the',
    'escapes of csv.',
    '',
    'Lists are written page by page, in every format: the next page is asked for',
    'when the reader has taken the one before, so that `| head` ends early. JSON that',
    'breaks off by a failure has no end.',
    '',
    '  --query EXPRESSION  only what a JMESPath expression finds, in every format:',
    '                      --query "[?contains(roles, \'DEPLOY\')].groupName". It',
    '                      applies to the whole result: a list is read whole first',
    '  --columns a,b.c     columns of table, wide and csv, in this order; fields of',
    '                      objects by dots',
    '',
    'With json or jsonl an error is one JSON object on standard error:',
    '  {"error": {code, message, status, requestId, items, transient, hint, details}}',
  ];
}
