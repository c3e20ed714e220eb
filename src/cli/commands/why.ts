/** `iam why`: explains how the server decided on a request. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import type { CliRuntime } from '../context.ts';
import { singleQuote } from '../http/curl.ts';
import { formatServerOptions } from '../http/server-options.ts';
import { escapeControls } from '../io/control-characters.ts';
import { getTerminalWidth } from '../io/io.ts';
import { addServerOptions } from '../output/hint-commands.ts';
import { hangingIndent } from '../output/table.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { callControlPlane, controlPlaneNote } from '../request/control-plane.ts';

export const whyText: CommandDescription = {
  title: 'Explain why a request was rejected',
  description: `Shows the credential and why it was rejected, the caller with its groups and roles, the requirements of the operation, the missing roles, and the rule that rejected the request. Error responses to callers contain less. ${controlPlaneNote}`,
  effect: 'read',
  examples: [
    { title: 'Explain the request of an error', command: 'REQUEST_ID' },
    { title: 'Print as JSON', command: 'REQUEST_ID -o json' },
  ],
};

export function addWhy(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'why', whyText).argument('<request>', 'Request id from X-Request-Id or an error');
  declareValueSources(command, { request: reference('request', ['id']) });
  setAction(command, runtime, async (context, [request]) => {
    const path = `/_iam/requests/${encodeURIComponent(String(request))}/why`;
    const why = (await callControlPlane(context, 'GET', path)).body as Why;
    if (context.printer.isForPeople)
      context.printer.lines(
        await formatExplanation(
          why,
          getTerminalWidth(context.io.stdout),
          formatServerOptions(context.settings.options),
        ),
      );
    else await context.printer.value(why);
  });
}

interface Why {
  readonly operation?: string;
  readonly method: string;
  readonly path: string;
  readonly status?: number;
  readonly rejected: boolean;
  readonly errors: readonly { readonly code: string; readonly message: string; readonly hint: string }[];
  readonly fault?: string;
  readonly testToken?: string;
  readonly credential: { readonly authMethod: string; readonly accepted: boolean; readonly reason?: string };
  readonly client?: { readonly clientId: string; readonly party: string };
  readonly user?: { readonly userId: string; readonly userName: string; readonly locked: boolean };
  readonly session?: { readonly level: string; readonly endsAt: string; readonly active: boolean };
  readonly logon?: string;
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly scope: readonly string[];
  readonly requires?: string;
  readonly missing: readonly string[];
  readonly forbidden: readonly string[];
  readonly grantedBy: readonly { readonly role: string; readonly groups: readonly string[] }[];
  readonly rule?: string;
}

type Line = readonly [name: string, value: string | undefined];

const nameWidth = 'credential'.length;

async function formatExplanation(why: Why, width: number | undefined, serverOptions: string): Promise<string[]> {
  const { method, path, operation, rejected, status = 'no response' } = why;
  const request = `${method} ${path}${operation === undefined ? '' : ` (${operation})`}`;
  const lines: readonly Line[] = [
    ...why.errors.map(({ code, message }): Line => ['error', `${code}: ${message}`]),
    ['fault', why.fault],
    ['test token', why.testToken],
    ...listCallerLines(why),
    ...listRoleLines(why),
    ['rule', why.rule],
    ...[...new Set(why.errors.map(({ hint }) => hint))].map(
      (hint): Line => ['hint', addServerOptions(hint, serverOptions)],
    ),
    ...listRemedies(why).map((command): Line => ['next', addServerOptions(`\`iam ${command}\``, serverOptions)]),
  ];
  const nonEmpty = lines.flatMap(([name, value]) =>
    value ? [hangingIndent(`  ${name.padEnd(nameWidth)}  `, escapeControls(value), width)] : [],
  );
  return [
    escapeControls(`${request} was ${rejected ? 'rejected' : 'processed'}: ${status}`),
    ...(await Promise.all(nonEmpty)),
  ];
}

/** The commands that remove what rejected the request. */
function listRemedies({ rejected, user, grantedBy, fault }: Why): string[] {
  if (!rejected) return [];
  const subject = user && singleQuote(user.userId);
  const groups = grantedBy.flatMap((grant) => grant.groups.slice(0, 1));
  return [
    ...(user?.locked ? [`users unlock ${subject}`] : []),
    ...(subject === undefined ? [] : groups.map((group) => `groups users add ${singleQuote(group)} ${subject}`)),
    ...(fault === undefined ? [] : ['faults list']),
  ];
}

function listCallerLines({ credential, client, user, session, logon, groups }: Why): Line[] {
  const { authMethod, accepted, reason } = credential;
  const ended = session?.active ? '' : ', ended';
  return [
    ['credential', `${authMethod}, ${accepted ? 'accepted' : `rejected${reason === undefined ? '' : `: ${reason}`}`}`],
    ['client', client && `${client.clientId} (${client.party})`],
    ['user', user && `${user.userId} (${user.userName}${user.locked ? ', locked' : ''})`],
    ['logon', logon],
    ['session', session && `${session.level} until ${session.endsAt}${ended}`],
    ['groups', groups.join(', ')],
  ];
}

function listRoleLines({ roles, scope, requires, missing, forbidden, grantedBy }: Why): Line[] {
  return [
    ['roles', roles.join(', ')],
    ['scope', scope.join(', ')],
    ['requires', requires],
    ['missing', missing.join(', ')],
    ['forbidden', forbidden.join(', ')],
    ...grantedBy.map(({ role, groups }): Line => ['in groups', `${role}: ${groups.join(', ') || 'no group'}`]),
  ];
}
