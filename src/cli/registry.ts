/** Every command that is more than one operation, and what the nouns of operations are about. */
import type { Command } from 'commander';
import type { CommandDescription } from './command.ts';
import { addApi, apiText } from './commands/api.ts';
import { addApply, applyText } from './commands/apply.ts';
import { addServer } from './commands/background/index.ts';
import { addBulk } from './commands/bulk.ts';
import { addCall, callText } from './commands/call.ts';
import { addCan, canText } from './commands/can.ts';
import { addCatalogue, catalogueText } from './commands/catalogue.ts';
import { addClock, clockText } from './commands/clock.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addControlList, addGroupsMembers, addUsersFactors } from './commands/control-lists.ts';
import { addCoverage, coverageText } from './commands/coverage.ts';
import { addDiff, diffText } from './commands/diff.ts';
import { addDoctor, doctorText } from './commands/doctor.ts';
import { addEnv, envText } from './commands/env.ts';
import { addExport, exportText } from './commands/export.ts';
import { addFaults } from './commands/faults.ts';
import { addGroupsTree } from './commands/groups/tree.ts';
import { addGroupsUpdate } from './commands/groups/update.ts';
import { addInbox } from './commands/inbox.ts';
import { addKeysRotate } from './commands/keys.ts';
import { addLogin, loginText } from './commands/login.ts';
import { addLogout, logoutText } from './commands/logout.ts';
import { addPlan, planText } from './commands/plan.ts';
import { addProfile } from './commands/profile.ts';
import { addRequests } from './commands/requests.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addServe, serveText } from './commands/serve.ts';
import { addSessions } from './commands/sessions.ts';
import { addState } from './commands/state.ts';
import { addStore } from './commands/store.ts';
import { addToken } from './commands/token.ts';
import { addWhoami, whoamiText } from './commands/whoami.ts';
import { addWhy, whyText } from './commands/why.ts';
import type { CliRuntime } from './runtime/context.ts';

export interface CommandGroup {
  readonly heading: string;
  readonly names: readonly string[];
}

/** How the help puts commands together, in this order; what is named nowhere is in the last. */
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
    names: ['serve', 'server', 'env', 'inbox', 'clock', 'faults', 'coverage', 'sandbox', 'state', 'store'],
  },
  { heading: 'Other:', names: ['call', 'api', 'commands', 'completion', 'help'] },
];

export type IsRequested = (names: readonly string[]) => boolean;
export type AddCommands = (command: Command, runtime: CliRuntime, isAskedFor: IsRequested) => void;

export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly addCommands: readonly AddCommands[];
}

/** What nouns are about, and nouns below nouns, for the list of commands. */
export const nounSummaries: Readonly<Record<string, string>> = {
  groups: 'Groups: their roles and the groups they depend on',
  'api-key': 'API keys of clients',
  users: 'Users: their contacts, login names and locks',
  factors: "The caller's own contacts for second proofs",
  businesses: 'Businesses and the roles that they have',
  services: 'Service accounts of clients',
  customers: 'Customers: businesses and users by contract',
  'my-clients': 'Clients that belong to the caller',
  'corporate-groups': 'Businesses that belong together',
  clients: 'Client identities',
  products: 'Products: whether the caller may have one',
  'groups users': 'Users in a group',
  'groups businesses': 'Businesses in a group, with all their users',
  'groups business-users': 'Users in a group in the name of a business',
  'groups services': 'Service accounts in a group',
  'users factors': 'Contacts of a user for second proofs',
};

export const customCommandsByNoun: Readonly<Record<string, readonly AddCommands[]>> = {
  groups: [addGroupsUpdate, addGroupsTree, addGroupsMembers],
  users: [addControlList, addUsersFactors],
  clients: [addControlList],
  businesses: [addControlList],
  customers: [addControlList],
};

/** Below a command of one word that is an operation itself. */
export const operationSubcommands: Readonly<Record<string, readonly AddCommands[]>> = { keys: [addKeysRotate] };

export const customNouns: readonly Noun[] = [
  { name: 'server', summary: 'The server in the background', addCommands: [addServer] },
  { name: 'inbox', summary: 'Messages that the server sent: codes and notices', addCommands: [addInbox] },
  { name: 'requests', summary: 'Calls that the server answered', addCommands: [addRequests] },
  { name: 'faults', summary: 'Failures on purpose', addCommands: [addFaults] },
  { name: 'sessions', summary: 'Sessions of users and clients', addCommands: [addSessions] },
  { name: 'bulk', summary: 'Many calls, from a file of rows', addCommands: [addBulk] },
  {
    name: 'state',
    summary: 'The whole state of a server: reset, snapshots, export and import',
    addCommands: [addState],
  },
  { name: 'store', summary: 'The files of a store: whole or damaged, backups', addCommands: [addStore] },
  { name: 'sandbox', summary: 'Whole services beside the main one, for tests', addCommands: [addSandbox] },
  { name: 'token', summary: 'Tokens', addCommands: [addToken] },
  { name: 'profile', summary: 'Servers by name, and the credentials for each', addCommands: [addProfile] },
  { name: 'config', summary: 'Settings of this command and where they come from', addCommands: [addConfig] },
  { name: 'completion', summary: 'Completion for bash, zsh and fish', addCommands: [addCompletion] },
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
  { name: 'coverage', text: coverageText, add: addCoverage },
  { name: 'call', text: callText, add: addCall },
  { name: 'api', text: apiText, add: addApi },
  { name: 'commands', text: catalogueText, add: addCatalogue },
];
