/** All commands below `iam`, by help group: the one place where a hand-written command is added. */
import type { Command } from 'commander';
import type { CommandDescription } from './command.ts';
import { addApi, apiText } from './commands/api.ts';
import { addAudit, auditText } from './commands/audit.ts';
import { addBulk } from './commands/bulk.ts';
import { addCall, callText } from './commands/call.ts';
import { addCan, canText } from './commands/can.ts';
import { addCatalogue, catalogueText } from './commands/catalogue.ts';
import { addRotate } from './commands/clients/rotate.ts';
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
import { addGroupsTree } from './commands/groups/tree.ts';
import { addImport } from './commands/import/import.ts';
import { addInbox } from './commands/inbox.ts';
import { addKeysList, addKeysRotate } from './commands/keys.ts';
import { addLogin, loginText } from './commands/login/login.ts';
import { addLogout, logoutText } from './commands/login/logout.ts';
import { addMetrics, metricsText } from './commands/metrics.ts';
import type { OperationVariant } from './commands/operation.ts';
import { addApply, applyText } from './commands/plan/apply.ts';
import { addDiff, diffText } from './commands/plan/diff.ts';
import { addExport, exportText } from './commands/plan/export.ts';
import { addPlan, planText } from './commands/plan/plan.ts';
import { addProfile } from './commands/profile/profile.ts';
import { addFaults } from './commands/requests/faults.ts';
import { addRequests } from './commands/requests/requests.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addSchema, schemaText } from './commands/schema/schema.ts';
import { addLogs } from './commands/server/logs.ts';
import { addServe, serveText } from './commands/server/serve.ts';
import { addStart } from './commands/server/start.ts';
import { addStatus } from './commands/server/status.ts';
import { addStop } from './commands/server/stop.ts';
import { addSessions } from './commands/sessions.ts';
import { addStateDiff } from './commands/state/diff.ts';
import { addStateReset } from './commands/state/reset.ts';
import { addStateSeed } from './commands/state/seed.ts';
import { addSnapshotDelete, addSnapshotList, addSnapshotRestore, addSnapshotSave } from './commands/state/snapshots.ts';
import { addStateExport, addStateImport } from './commands/state/state-dump.ts';
import { addStoreBackup, addStoreRestore } from './commands/store/backup.ts';
import { addStoreCopy } from './commands/store/copy.ts';
import { addStoreInit, addStoreMigrate } from './commands/store/init.ts';
import { addStoreRepair } from './commands/store/repair.ts';
import { addStoreVerify } from './commands/store/verify.ts';
import { addToken } from './commands/token.ts';
import { addRouteUpdates } from './commands/update/add.ts';
import { createWithoutCode } from './commands/users/create-without-code.ts';
import { addUsersGet } from './commands/users/get.ts';
import { addUsersInvite } from './commands/users/invite.ts';
import { addUsersRevokeConsent } from './commands/users/revoke-consent.ts';
import { addUsersSetPassword } from './commands/users/set-password.ts';
import { addWhoami, whoamiText } from './commands/whoami.ts';
import { addWhy, whyText } from './commands/why.ts';
import type { CliRuntime } from './context.ts';

export type IsRequested = (names: readonly string[]) => boolean;
type AddCommands = (command: Command, runtime: CliRuntime, isRequested: IsRequested) => void;

/** A command with subcommands: those of the operations whose commands start with its name, and hand-written ones. */
export interface Noun {
  readonly name: string;
  /** For the list of commands. */
  readonly summary: string;
  /** Add hand-written subcommands. */
  readonly add?: readonly AddCommands[];
  /** Other ways to run an operation, by its subcommand. */
  readonly variants?: Readonly<Record<string, OperationVariant>>;
  /** Summaries of nouns below it, by name. */
  readonly nouns?: Readonly<Record<string, string>>;
  /** Former subcommands, and the command that does the same now. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** A hand-written command without subcommands. */
export interface CustomCommand {
  readonly name: string;
  readonly text: CommandDescription;
  readonly add: AddCommands;
}

/** A command of one word that is an operation, with hand-written subcommands. */
export interface OperationCommand {
  readonly name: string;
  readonly subcommands: readonly AddCommands[];
}

export type CommandEntry = Noun | CustomCommand | OperationCommand;

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandEntry[];
}

/** In the order of help. Commands of operations whose noun is not listed are in the last group. */
export const commandGroups: readonly CommandGroup[] = [
  {
    heading: 'Directory:',
    commands: [
      {
        name: 'groups',
        summary: 'Manage groups, their roles and dependencies',
        add: [addControlSearch, addGroupsTree, addGroupsMembers],
        nouns: {
          users: 'Manage users of a group',
          businesses: 'Manage businesses of a group, with all their users',
          'business-users': 'Manage business users of a group',
          services: 'Manage service accounts of a group',
        },
        replaced: { graph: 'groups tree' },
      },
      {
        name: 'users',
        summary: 'Manage users, their contacts, login names and locks',
        add: [addControlList, addUsersGet, addUsersFactors, addUsersInvite, addUsersSetPassword, addUsersRevokeConsent],
        variants: { create: createWithoutCode },
        nouns: { factors: 'Manage MFA contacts of a user' },
      },
      {
        name: 'businesses',
        summary: 'Manage businesses and their roles',
        add: [addControlList, addControlGet],
      },
      { name: 'corporate-groups', summary: 'Manage corporate groups of businesses', add: [addControlSearch] },
      {
        name: 'customers',
        summary: 'Manage customers: businesses and users by contract',
        add: [addControlList, addControlGet],
      },
      {
        name: 'clients',
        summary: 'Manage client identities',
        add: [addControlList, addControlGet, addRouteUpdates, addRotate],
      },
      { name: 'my-clients', summary: 'Manage your own clients' },
      { name: 'services', summary: 'Manage service accounts of clients' },
    ],
  },
  {
    heading: 'Credentials and products:',
    commands: [
      { name: 'api-key', summary: 'Manage API keys of clients', add: [addControlSearch, addControlGet, addRotate] },
      { name: 'factors', summary: 'Manage your own MFA contacts' },
      {
        name: 'token',
        summary: 'Obtain, issue and inspect tokens',
        add: [addToken],
        replaced: { verify: 'token inspect --verify', status: 'token inspect --status' },
      },
      { name: 'keys', subcommands: [addKeysList, addKeysRotate] },
      { name: 'sessions', summary: 'Manage sessions of users and clients', add: [addSessions] },
      { name: 'products', summary: 'Check product eligibility' },
    ],
  },
  {
    heading: 'Bulk and declarative:',
    commands: [
      { name: 'plan', text: planText, add: addPlan },
      { name: 'apply', text: applyText, add: addApply },
      { name: 'diff', text: diffText, add: addDiff },
      { name: 'export', text: exportText, add: addExport },
      { name: 'bulk', summary: 'Run an operation for each row of a file', add: [addBulk] },
    ],
  },
  {
    heading: 'Access:',
    commands: [
      { name: 'can', text: canText, add: addCan },
      { name: 'why', text: whyText, add: addWhy },
      { name: 'audit', text: auditText, add: addAudit },
      { name: 'requests', summary: 'View the request log of the server', add: [addRequests] },
    ],
  },
  {
    heading: 'Sign-in and settings:',
    commands: [
      { name: 'login', text: loginText, add: addLogin },
      { name: 'logout', text: logoutText, add: addLogout },
      { name: 'whoami', text: whoamiText, add: addWhoami },
      { name: 'profile', summary: 'Manage profiles: named servers with credentials', add: [addProfile] },
      { name: 'config', summary: 'View and change settings of this command', add: [addConfig] },
      { name: 'doctor', text: doctorText, add: addDoctor },
    ],
  },
  {
    heading: 'Local server:',
    commands: [
      { name: 'serve', text: serveText, add: addServe },
      { name: 'server', summary: 'Manage the background server', add: [addStart, addStop, addStatus, addLogs] },
      { name: 'env', text: envText, add: addEnv },
      { name: 'inbox', summary: 'View messages that the server sent: codes and notices', add: [addInbox] },
      { name: 'clock', text: clockText, add: addClock },
      { name: 'faults', summary: 'Manage injected faults', add: [addFaults] },
      { name: 'events', text: eventsText, add: addEvents },
      { name: 'coverage', text: coverageText, add: addCoverage },
      { name: 'metrics', text: metricsText, add: addMetrics },
      { name: 'sandbox', summary: 'Manage sandboxes: isolated services for tests', add: [addSandbox] },
      {
        name: 'state',
        summary: 'Reset, snapshot, export and import the state of a server',
        add: [
          ...[addStateReset, addStateSeed, addSnapshotSave, addSnapshotRestore, addSnapshotList, addSnapshotDelete],
          ...[addStateDiff, addStateExport, addStateImport],
        ],
      },
      {
        name: 'store',
        summary: 'Verify, back up, copy and set up stores',
        add: [
          ...[addStoreVerify, addStoreRepair, addStoreBackup, addStoreRestore, addStoreCopy],
          ...[addStoreInit, addStoreMigrate],
        ],
      },
      { name: 'import', summary: 'Convert exports of other services into a seed', add: [addImport] },
    ],
  },
  {
    heading: 'Other:',
    commands: [
      { name: 'call', text: callText, add: addCall },
      { name: 'api', text: apiText, add: addApi },
      { name: 'conformance', text: conformanceText, add: addConformance },
      { name: 'commands', text: catalogueText, add: addCatalogue },
      { name: 'explain', text: explainText, add: addExplain },
      { name: 'schema', text: schemaText, add: addSchema },
      {
        name: 'completion',
        summary: 'Generate completion scripts for bash, zsh and fish',
        add: [addCompletion],
      },
    ],
  },
];
