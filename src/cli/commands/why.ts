/** `iam why`: explains how the server decided on a request. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import type { CliRuntime } from '../context.ts';
import { formatServerOptions } from '../http/server-options.ts';
import { escapeControls } from '../io/control-characters.ts';
import { getTerminalWidth } from '../io/io.ts';
import { addServerOptions } from '../output/hint-commands.ts';
import { hangingIndent } from '../output/table.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { callControlPlane, controlPlaneNote } from '../request/control-plane.ts';

const whyText: Omit<CommandDescription, 'title'> = {
  description: `Shows the credential and why it was rejected, the caller with its groups and roles, the requirements of the operation, the missing roles, and the rule that rejected the request. Error responses to callers contain less. ${controlPlaneNote}`,
  effect: 'read',
  examples: [
    { title: 'Explain the request of an error', command: 'REQUEST_ID' },
    { title: 'Print as JSON', command: 'REQUEST_ID -o json' },
  ],
};

export function addWhy(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'why', { title, ...whyText }).argument(
    '<request>',
    'Request id from X-Request-Id or an error',
  );
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
  readonly flow?: string;
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
  /** Older servers have none. */
  readonly alternatives?: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
  readonly grantedBy: readonly { readonly role: string; readonly groups: readonly string[] }[];
  readonly rule?: string;
  /** Older servers have none. */
  readonly cures?: readonly Cure[];
}

type Cure =
  | { readonly kind: 'unlock'; readonly userId: string }
  | { readonly kind: 'sign-in'; readonly userId: string; readonly level: string }
  | {
      readonly kind: 'add-to-group';
      readonly groupName: string;
      readonly memberKind: 'user' | 'service';
      readonly memberId: string;
      readonly lacks: readonly string[];
    };

type Line = readonly [name: string, value: string | undefined];

const nameWidth = 'credential'.length;

async function formatExplanation(why: Why, width: number | undefined, serverOptions: string): Promise<string[]> {
  const { method, path, operation, rejected, status = 'no response' } = why;
  const request = `${method} ${path}${operation === undefined ? '' : ` (${operation})`}`;
  const lines: readonly Line[] = [
    ...why.errors.map(({ code, message }): Line => ['error', `${code}: ${message}`]),
    ['flow', why.flow],
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
function listRemedies({ rejected, cures = [], fault }: Why): string[] {
  if (!rejected) return [];
  const groups = cures.filter((cure) => cure.kind === 'add-to-group');
  // The first group is the best one; if it gives only some of the roles, others are needed too.
  const superfluous = new Set<Cure>(groups[0]?.lacks.length === 0 ? groups.slice(1) : []);
  return [
    ...cures.filter((cure) => !superfluous.has(cure)).map(formatCure),
    ...(fault === undefined ? [] : ['faults list']),
  ];
}

function formatCure(cure: Cure): string {
  if (cure.kind === 'unlock') return `users unlock ${singleQuote(cure.userId)}`;
  if (cure.kind === 'sign-in') return `sessions create ${singleQuote(cure.userId)} --level ${cure.level}`;
  const { groupName, memberKind, memberId } = cure;
  return `groups ${memberKind}s add ${singleQuote(groupName)} ${singleQuote(memberId)}`;
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

function listRoleLines({
  roles,
  scope,
  requires,
  missing,
  alternatives = [missing],
  forbidden,
  grantedBy,
}: Why): Line[] {
  return [
    ['roles', roles.join(', ')],
    ['scope', scope.join(', ')],
    ['requires', requires],
    ['missing', alternatives.map((names) => names.join(', ')).join(' or ')],
    ['forbidden', forbidden.join(', ')],
    ...grantedBy.map(({ role, groups }): Line => ['in groups', `${role}: ${groups.join(', ') || 'no group'}`]),
  ];
}
