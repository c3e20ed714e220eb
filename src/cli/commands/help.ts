/** `iam help`: shows help on a command or a topic. */
import type { Command } from 'commander';
import { findNearest } from '../../lib/nearest-name.ts';
import { createGlobalOptions, formatGlobalOption } from '../config/global-options.ts';
import { settingDefinitions } from '../config/settings.ts';
import type { CliRuntime } from '../context.ts';
import { usageError } from '../errors.ts';
import { exitCodes, serveExitCodes } from '../exit-codes.ts';
import { getTextOutput } from '../io/io.ts';

export const topics: Readonly<Record<string, () => readonly string[]>> = {
  'global-options': listGlobalOptions,
  'exit-codes': listExitCodes,
  environment: listVariables,
  output: describeOutput,
  filters: listFilters,
};

export function addHelp(program: Command, { io }: CliRuntime, title: string): void {
  program
    .command('help')
    .summary(title)
    .description(`${title}.`)
    .argument('[words...]', `Command, or topic: ${Object.keys(topics).join(', ')}`)
    .action((words: readonly string[]) => {
      const topic = findTopic(words[0] ?? '');
      if (topic) getTextOutput(io).write(`${topic().join('\n')}\n`);
      else findCommand(program, words).outputHelp();
    });
}

function findTopic(word: string) {
  return Object.hasOwn(topics, word) ? topics[word] : undefined;
}

function findCommand(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const below = found.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (!below) throw unknownTopicError(found, word);
    found = below;
  }
  return found;
}

function unknownTopicError(command: Command, word: string) {
  const names = [...command.commands.flatMap((below) => [below.name(), ...below.aliases()]), ...Object.keys(topics)];
  const near = findNearest(word, names);
  return usageError(`Unknown help topic ${JSON.stringify(word)}.${near ? ` Did you mean ${near}?` : ''}`);
}

function listGlobalOptions(): string[] {
  return [
    'Global options',
    '',
    'Every command that sends requests accepts these options after its name:',
    '`iam groups list -o json`, or before all words: `iam -o json groups list`.',
    ...createGlobalOptions().flatMap(({ heading, options }) => ['', heading, ...options.flatMap(formatGlobalOption)]),
    '',
    'See `iam help output` for formats and filters, and `iam help environment` for',
    'the same settings as environment variables.',
  ];
}

function listExitCodes(): string[] {
  const line = ({ code, meaning }: { code: number; meaning: string }) => `${String(code).padStart(5)}  ${meaning}`;
  return [
    'Exit codes',
    '',
    ...exitCodes.map(line),
    '',
    'Commands with negative results: `can`, `diff`, `state diff`, `server status`,',
    '`doctor`, `coverage --threshold`, `conformance`, `token inspect --verify`,',
    '`token inspect --status`, and prompts that you decline.',
    'An error never exits with 1, so that a script can tell it from such a result:',
    '',
    '  if iam diff -f iam.yaml; then echo equal',
    '  elif [ $? -eq 1 ]; then echo different',
    '  else echo failed; fi',
    '',
    'Additional exit codes of `iam serve` and `iam store`:',
    '',
    ...serveExitCodes.map(line),
  ];
}

function listFilters(): string[] {
  return [
    'Filters',
    '',
    'List commands have filter options that the server applies; see --help:',
    '',
    '  iam groups list --role DEPLOY         groups with a direct role',
    '  iam requests list --status 4xx        rejected requests',
    '',
    'A table on a terminal shows the first 100 entries and a notice if more exist.',
    'In a pipe or a file, with --query, and with -o json, jsonl, yaml, csv or name a',
    'list is complete. `iam call` and `iam api` print one page.',
    '',
    '  --limit 20     at most 20 entries, everywhere and also with --all; --query',
    '                 applies to these entries',
    '  --all          every entry, also in a table on a terminal',
    '',
    'Filter or reshape the whole result with JMESPath, in every format:',
    '',
    '  --query "[?contains(roles, \'DEPLOY\')]"        entries that contain a value',
    '  --query "[?starts_with(groupName, \'ops\')]"    entries by prefix',
    '  --query "[].groupName"                         one field of each entry',
    '  --query "[].[groupName, groupId]"              columns without a header',
    '  --query "[].{name: groupName, id: groupId}"    columns with names',
    '  --query "length(@)"                            number of entries',
    '  --query "sort_by(@, &groupName)[0]"            first entry after sorting',
    '  --columns groupName,roles                      columns of table and csv',
    '',
    'Use -o name to print only names or ids for other commands. For the formats, see',
    '`iam help output`.',
  ];
}

function listVariables(): string[] {
  const others = [
    ['XDG_CONFIG_HOME', 'Directory of profiles, in iam/config.json'],
    ['XDG_CACHE_HOME', 'Directory of cached tokens and names'],
    ['XDG_STATE_HOME', 'Directory of sets and server logs'],
    ['NO_COLOR, FORCE_COLOR', 'Disable colors; enable colors without a terminal'],
    ['IAM_PAGER, PAGER', 'Pager for long output; default less, empty for none'],
    ['CI', 'Never prompt and never page, as with --no-input'],
    ['HTTPS_PROXY, HTTP_PROXY', 'Proxies, except for localhost and NO_PROXY'],
    ['.iamrc.json', 'Project file in this or a parent folder; no secrets'],
  ];
  const rows = [...settingDefinitions.map(({ environment, meaning }) => [environment, meaning]), ...others];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const lines = rows.map(([name = '', meaning]) => `  ${name.padEnd(width)}  ${meaning}`);
  return [
    'Environment',
    '',
    ...lines,
    '',
    'Precedence: options, environment, project file, profile. A profile selected',
    'with --profile takes precedence over the environment.',
    'Credentials are sent over http to localhost only, unless --insecure-http or',
    'IAM_INSECURE_HTTP=true allows other hosts. Credentials in the environment are',
    'never sent to a server that only a project file (.iamrc.json) names, by URL or',
    'by profile: name the server with --base-url or IAM_BASE_URL.',
    'For read-only, protected and max-changes the strictest value applies.',
    'See `iam serve --help` for the variables of the server.',
  ];
}

function describeOutput(): string[] {
  return [
    'Output',
    '',
    'Standard output has only data; notices, prompts and errors go to stderr.',
    '',
    '  -o table  the main columns (default). At a terminal, the last ones are left',
    '            out if they do not fit; names, texts and lists are truncated, ids,',
    '            times and other values are not',
    '  -o wide   all columns, never truncated',
    '  -o json   one JSON document',
    '  -o jsonl  one JSON value per line',
    '  -o yaml   one YAML document',
    '  -o csv    a header row and one row per entry; list values are separated by',
    '            semicolons. Text that a spreadsheet would evaluate as a formula, at',
    '            the start of a cell or after a semicolon, tab or line break, is',
    '            prefixed with an apostrophe, which `iam bulk` removes; --csv-raw',
    '            writes and reads such cells unchanged',
    '  -o name   only names or ids, one per line, for other commands',
    '',
    'Control and bidirectional characters are escaped in every format, as in \\u001b;',
    'json, jsonl and yaml still contain the same value, and `iam bulk` decodes the',
    'escapes in csv.',
    '',
    'Lists are complete, except for a table on a terminal: see `iam help filters`.',
    'They are written page by page, in every format: the next page is requested when',
    'the previous one has been read, so that `| head` stops early. If a later page',
    'fails or the command is interrupted, the exit code is not 0: json and yaml are',
    'then invalid, other formats incomplete.',
    '',
    '  --query EXPRESSION  print only the result of a JMESPath expression:',
    '                      --query "[?contains(roles, \'DEPLOY\')].groupName". It',
    '                      applies to the whole result, so all pages are read first.',
    '                      "[].{name: groupName, id: groupId}" prints columns with a',
    '                      header as table, wide and csv; "[].[groupName, groupId]"',
    '                      prints them without one',
    '  --mask              hide e-mail addresses in everything that is printed, as in',
    '                      a***@example.com',
    '  --columns a,b.c     columns of table, wide and csv, in this order; dots select',
    '                      nested fields',
    '',
    'With json or jsonl, an error is one JSON object on standard error:',
    '  {"error": {code, message, status, requestId, items, transient, hint, details}}',
  ];
}
