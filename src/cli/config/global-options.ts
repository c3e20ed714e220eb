/** The options that every command accepts. Help lists them in one topic only. */
import { Help, Option } from 'commander';
import { canBeListed } from '../../lib/file-trust.ts';
import { usageError } from '../errors.ts';
import { formats } from '../output/format.ts';

export interface GlobalOptionGroup {
  readonly heading: string;
  readonly options: readonly Option[];
}

/** The heading of these options in commander. Help of a command omits the section. */
const helpGroup = 'Global options:';

/** The line of every help that replaces the list of global options; at most 80 columns. */
export const globalOptionsLine = 'Global options: -o FORMAT, --query, --profile, ...; see iam help global-options';

/** Creates the options, in groups for the topic. */
export function createGlobalOptions(): GlobalOptionGroup[] {
  return [
    {
      heading: 'Output:',
      options: [
        new Option('-o, --output <format>', 'output format').choices([...formats]),
        new Option('--query <expression>', 'filter the result with a JMESPath expression'),
        new Option('--columns <names>', 'columns of table and csv output, in this order: a,b.c'),
        new Option('--csv-raw', 'do not escape csv cells that start a formula'),
        new Option('--mask', 'hide e-mail addresses: a***@example.com'),
        new Option('--color <when>', 'when to use colors').choices(['auto', 'always', 'never']),
        new Option('--no-pager', 'print long output without a pager'),
        new Option('-q, --quiet', 'suppress notices on standard error'),
      ],
    },
    {
      heading: 'Server:',
      options: [
        new Option('--profile <name>', 'profile to use'),
        new Option('--base-url <url>', 'URL of the service'),
        new Option('--insecure-http', 'allow credentials over unencrypted http to other hosts'),
        new Option('--timeout <seconds>', 'timeout of a request'),
        new Option('--max-wait <seconds>', 'time to wait for a server that is busy or not reachable'),
        new Option('--proxy <url>', 'HTTP proxy'),
        new Option('--ca-file <file>', 'additional CA certificates to trust'),
        new Option('--client-cert <file>', 'client certificate for mutual TLS'),
        new Option('--client-key <file>', 'private key of the client certificate'),
      ],
    },
    {
      heading: 'Files:',
      options: [createTrustOption('use files of other users in this folder')],
    },
    {
      heading: 'Prompts:',
      options: [new Option('--no-input', 'never prompt; fail with exit code 10 instead')],
    },
    {
      heading: 'Diagnostics:',
      options: [
        new Option('--verbose', 'log requests on standard error'),
        new Option('--debug', 'log requests with headers on standard error, without secrets'),
        new Option('--curl', 'print requests as curl commands on standard error, with placeholders for secrets'),
      ],
    },
  ].map(({ heading, options }) => ({ heading, options: options.map((option) => option.helpGroup(helpGroup)) }));
}

/** Its value are the folders of all such options. */
export function createTrustOption(description: string): Option {
  return new Option('--trust-folder <folder>', `${description}; repeatable`).argParser(addFolder);
}

/** A comma would be that of the variable: the name of a folder, which another user chose, could name a second one. */
function addFolder(folder: string, known: readonly string[] = []): readonly string[] {
  if (canBeListed(folder)) return [...known, folder];
  throw usageError(`--trust-folder ${folder} contains a comma.`, 'Repeat the option for each folder.');
}

export function isGlobalOption({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading === helpGroup;
}

/** Renders an option for a topic: its flags, and its description wrapped at 80 columns. */
export function formatGlobalOption({ flags, description, argChoices }: Option): string[] {
  const text = argChoices ? `${description}: ${argChoices.join(', ')}` : description;
  const help = new Help();
  return help.formatItem(flags, '-o, --output <format>'.length, text, help).split('\n');
}
