/** Custom commands, summaries of nouns and help groups. */
import type { Command } from 'commander';
import type { CommandDescription } from './command.ts';
import { addApi, apiText } from './commands/api.ts';
import { addBulk } from './commands/bulk.ts';
import { addCall, callText } from './commands/call.ts';
import { addCan, canText } from './commands/can.ts';
import { addCatalogue, catalogueText } from './commands/catalogue.ts';
import { addClock, clockText } from './commands/clock.ts';
import { addCompletion } from './commands/completion/completion.ts';
import { addConfig } from './commands/config.ts';
import { addConformance, conformanceText } from './commands/conformance/conformance.ts';
import { addControlGet } from './commands/control-details.ts';
import { addControlList, addControlSearch, addGroupsMembers, addUsersFactors } from './commands/control-lists.ts';
import { addCoverage, coverageText } from './commands/coverage.ts';
import { addDoctor, doctorText } from './commands/doctor/doctor.ts';
import { addEnv, envText } from './commands/env.ts';
import { addEvents, eventsText } from './commands/events.ts';
import { addExplain, explainText } from './commands/explain/explain.ts';
import { addFaults } from './commands/faults.ts';
import { addGroupsGraph } from './commands/groups/member-graph.ts';
import { addGroupsTree } from './commands/groups/tree.ts';
import { addGroupsUpdate } from './commands/groups/update.ts';
import { addImport } from './commands/import/import.ts';
import { addInbox } from './commands/inbox.ts';
import { addKeysList, addKeysRotate } from './commands/keys.ts';
import { addLogin, loginText } from './commands/login/login.ts';
import { addLogout, logoutText } from './commands/login/logout.ts';
import { addMetrics, metricsText } from './commands/metrics.ts';
import { addApply, applyText } from './commands/plan/apply.ts';
import { addDiff, diffText } from './commands/plan/diff.ts';
import { addExport, exportText } from './commands/plan/export.ts';
import { addPlan, planText } from './commands/plan/plan.ts';
import { addProfile } from './commands/profile/profile.ts';
import { addRequests } from './commands/requests.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addSchema, schemaText } from './commands/schema/schema.ts';
import { addServer } from './commands/server/index.ts';
import { addServe, serveText } from './commands/server/serve.ts';
import { addSessions } from './commands/sessions.ts';
import { addState } from './commands/state/state.ts';
import { addStore } from './commands/store/store.ts';
import { addToken } from './commands/token.ts';
import { addUsersGet } from './commands/users/get.ts';
import { addUsersInvite } from './commands/users/invite.ts';
import { addUsersSetPassword } from './commands/users/set-password.ts';
import { addWhoami, whoamiText } from './commands/whoami.ts';
import { addWhy, whyText } from './commands/why.ts';
import type { CliRuntime } from './context.ts';

export interface CommandGroup {
  readonly heading: string;
  readonly names: readonly string[];
}

/** Groups of commands in help, in this order. Unlisted commands are in the last group. */
export const commandGroups: readonly CommandGroup[] = [
  {
    heading: 'Directory:',
    names: ['groups', 'users', 'businesses', 'corporate-groups', 'customers', 'clients', 'my-clients', 'services'],
  },
  { heading: 'Credentials and products:', names: ['api-key', 'factors', 'token', 'keys', 'sessions', 'products'] },
  { heading: 'Bulk and declarative:', names: ['plan', 'apply', 'diff', 'export', 'bulk'] },
  { heading: 'Access:', names: ['can', 'why', 'requests'] },
  { heading: 'Sign-in and settings:', names: ['login', 'logout', 'whoami', 'profile', 'config', 'doctor'] },
  {
    heading: 'Local server:',
    names: [
      'serve',
      'server',
      'env',
      'inbox',
      'clock',
      'faults',
      'events',
      'coverage',
      'metrics',
      'sandbox',
      'state',
      'store',
      'import',
    ],
  },
  { heading: 'Other:', names: ['call', 'api', 'conformance', 'commands', 'explain', 'schema', 'completion', 'help'] },
];

export type IsRequested = (names: readonly string[]) => boolean;
export type AddCommands = (command: Command, runtime: CliRuntime, isRequested: IsRequested) => void;

export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly addCommands: readonly AddCommands[];
}

/** Summaries of nouns, and of nouns below nouns, for the list of commands. */
export const nounSummaries: Readonly<Record<string, string>> = {
  groups: 'Manage groups, their roles and dependencies',
  'api-key': 'Manage API keys of clients',
  users: 'Manage users, their contacts, login names and locks',
  factors: 'Manage your own MFA contacts',
  businesses: 'Manage businesses and their roles',
  services: 'Manage service accounts of clients',
  customers: 'Manage customers: businesses and users by contract',
  'my-clients': 'Manage your own clients',
  'corporate-groups': 'Manage corporate groups of businesses',
  clients: 'Manage client identities',
  products: 'Check product eligibility',
  'groups users': 'Manage users of a group',
  'groups businesses': 'Manage businesses of a group, with all their users',
  'groups business-users': 'Manage business users of a group',
  'groups services': 'Manage service accounts of a group',
  'users factors': 'Manage MFA contacts of a user',
};

export const customCommandsByNoun: Readonly<Record<string, readonly AddCommands[]>> = {
  groups: [addControlSearch, addGroupsUpdate, addGroupsTree, addGroupsGraph, addGroupsMembers],
  users: [addControlList, addUsersGet, addUsersFactors, addUsersInvite, addUsersSetPassword],
  clients: [addControlList, addControlGet],
  businesses: [addControlList, addControlGet],
  customers: [addControlList, addControlGet],
  'api-key': [addControlSearch, addControlGet],
};

/** Subcommands of a one-word command that is itself an operation. */
export const operationSubcommands: Readonly<Record<string, readonly AddCommands[]>> = {
  keys: [addKeysList, addKeysRotate],
};

export const customNouns: readonly Noun[] = [
  { name: 'server', summary: 'Manage the background server', addCommands: [addServer] },
  { name: 'import', summary: 'Convert exports of other services into a seed', addCommands: [addImport] },
  { name: 'inbox', summary: 'View messages that the server sent: codes and notices', addCommands: [addInbox] },
  { name: 'requests', summary: 'View the request log of the server', addCommands: [addRequests] },
  { name: 'faults', summary: 'Manage injected faults', addCommands: [addFaults] },
  { name: 'sessions', summary: 'Manage sessions of users and clients', addCommands: [addSessions] },
  { name: 'bulk', summary: 'Run an operation for each row of a file', addCommands: [addBulk] },
  {
    name: 'state',
    summary: 'Reset, snapshot, export and import the state of a server',
    addCommands: [addState],
  },
  { name: 'store', summary: 'Verify, back up, copy and set up stores', addCommands: [addStore] },
  { name: 'sandbox', summary: 'Manage sandboxes: isolated services for tests', addCommands: [addSandbox] },
  { name: 'token', summary: 'Obtain and inspect tokens', addCommands: [addToken] },
  { name: 'profile', summary: 'Manage profiles: named servers with credentials', addCommands: [addProfile] },
  { name: 'config', summary: 'View and change settings of this command', addCommands: [addConfig] },
  { name: 'completion', summary: 'Generate completion scripts for bash, zsh and fish', addCommands: [addCompletion] },
];

export interface CustomCommand {
  readonly name: string;
  readonly text: CommandDescription;
  readonly add: AddCommands;
}

export const serveCommand: CustomCommand = { name: 'serve', text: serveText, add: addServe };

export const customCommands: readonly CustomCommand[] = [
  { name: 'login', text: loginText, add: addLogin },
  { name: 'logout', text: logoutText, add: addLogout },
  { name: 'can', text: canText, add: addCan },
  { name: 'env', text: envText, add: addEnv },
  { name: 'clock', text: clockText, add: addClock },
  { name: 'whoami', text: whoamiText, add: addWhoami },
  { name: 'plan', text: planText, add: addPlan },
  { name: 'apply', text: applyText, add: addApply },
  { name: 'diff', text: diffText, add: addDiff },
  { name: 'export', text: exportText, add: addExport },
  { name: 'doctor', text: doctorText, add: addDoctor },
  { name: 'why', text: whyText, add: addWhy },
  { name: 'events', text: eventsText, add: addEvents },
  { name: 'coverage', text: coverageText, add: addCoverage },
  { name: 'metrics', text: metricsText, add: addMetrics },
  { name: 'conformance', text: conformanceText, add: addConformance },
  { name: 'call', text: callText, add: addCall },
  { name: 'api', text: apiText, add: addApi },
  { name: 'schema', text: schemaText, add: addSchema },
  { name: 'commands', text: catalogueText, add: addCatalogue },
  { name: 'explain', text: explainText, add: addExplain },
];
