/** Generates docs/reference/public-api.md: everything that docs/api-stability.md keeps stable, in one file. */
import type { Command } from 'commander';
import { buildCompleteProgram } from '../../src/cli/cli-reference.ts';
import { commandPath } from '../../src/cli/command.ts';
import { settingDefinitions } from '../../src/cli/config/settings.ts';
import { type ExitCode, exitCodes, serveExitCodes } from '../../src/cli/exit-codes.ts';
import { errorTable } from '../../src/contract/error-codes.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { controlPrefix, servicePrefix } from '../../src/contract/prefix.ts';
import { type Setting, settingsTable } from '../../src/server/config/settings.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { oauthOperations } from '../../src/server/oauth/index.ts';
import { FORMAT_VERSION } from '../../src/server/store/file/layout.ts';
import { listExports } from '../types.mjs';
import { page } from './markdown.ts';

type AnyOperation = Operation<never>;

export async function publicApiPage(root: string, operations: Readonly<Record<string, AnyOperation>>): Promise<string> {
  const { client, index, testcontainers } = listExports(root);
  return page(
    'Public API',
    'A test compares this file with the sources, so every change to the public API is a change to it. ' +
      'See [api-stability.md](../api-stability.md) for what is stable.',
    section('Package iam-standin/client', client, 'ts'),
    // The main entry also exports what the client does.
    section('Package iam-standin', index, 'ts'),
    section('Package iam-standin/testcontainers', testcontainers, 'ts'),
    section('Operations', Object.values(operations).map(formatRoute(servicePrefix)).sort()),
    section('OAuth endpoints', oauthOperations.map(formatRoute('')).sort()),
    section('Control plane', (controlRoutes as readonly AnyOperation[]).map(formatRoute(controlPrefix)).sort()),
    section(
      'Error codes',
      Object.entries(errorTable).map(([code, { status, category }]) => `${code} ${status} ${category}`),
    ),
    section('Commands', await listCommands()),
    section('Exit codes', exitCodes.map(formatExitCode)),
    section('Exit codes of iam serve and iam store', serveExitCodes.map(formatExitCode)),
    section('Environment variables of the server', listServerVariables()),
    section(
      'Environment variables of the command',
      settingDefinitions.map(({ environment }) => environment),
    ),
    section('Store', [`formatVersion ${FORMAT_VERSION}`]),
  );
}

function section(title: string, lines: readonly string[], language = 'text'): string {
  return [`## ${title}`, '', `\`\`\`${language}`, ...lines, '```'].join('\n');
}

function formatRoute(prefix: string) {
  return ({ id, method, path: route }: AnyOperation): string => `${id} ${method} ${prefix}${route}`;
}

/** One line for each command with its arguments and options; the global options are those of `iam`. */
async function listCommands(): Promise<string[]> {
  const program = await buildCompleteProgram(process.stdout);
  const globals = new Set(program.options.map(({ flags }) => flags));
  return [program, ...listDescendants(program)].map((command) => {
    const parameters = command.registeredArguments.map((argument) => {
      const name = argument.variadic ? `${argument.name()}...` : argument.name();
      return argument.required ? `<${name}>` : `[${name}]`;
    });
    const options = command.options
      .filter(({ flags, hidden }) => !hidden && (command === program || !globals.has(flags)))
      .map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`));
    return [commandPath(command), ...parameters, ...options].join(' ');
  });
}

function listDescendants({ commands }: Command): Command[] {
  return commands.flatMap((command) => [command, ...listDescendants(command)]);
}

function formatExitCode({ code, meaning }: ExitCode): string {
  return `${code} ${meaning}`;
}

function listServerVariables(): string[] {
  const settings: readonly Setting[] = Object.values(settingsTable);
  return settings.map(({ environment, flag, name }) => (flag ? `${environment} --${name}` : environment));
}
