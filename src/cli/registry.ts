/** All commands below `iam`, by help group: the one place where a hand-written command is added. */
import type { Command } from 'commander';
import type { OperationVariant } from './commands/operation.ts';
import type { CliRuntime } from './context.ts';

type AddCommands = (command: Command, runtime: CliRuntime) => void | Promise<void>;
type AddCommand = (program: Command, runtime: CliRuntime, title: string) => void;

/** Imports it: a command loads only the code that its command line names. */
type Lazy<Value> = () => Promise<Value>;

/** A command with subcommands: those of the operations whose commands start with its name, and hand-written ones. */
export interface Noun {
  readonly name: string;
  /** For the list of commands. */
  readonly summary: string;
  /** Add hand-written subcommands. */
  readonly add?: readonly Lazy<AddCommands>[];
  /** Other ways to run an operation, by its subcommand. */
  readonly variants?: Readonly<Record<string, Lazy<OperationVariant>>>;
  /** Summaries of nouns below it, by name. */
  readonly nouns?: Readonly<Record<string, string>>;
  /** Former subcommands, and the command that does the same now. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** A hand-written command of one word. */
export interface CustomCommand {
  readonly name: string;
  readonly title: string;
  readonly add: Lazy<AddCommand>;
  readonly hasSubcommands?: true;
}

/** A command of one word that is an operation, with hand-written subcommands. */
export interface OperationCommand {
  readonly name: string;
  readonly subcommands: readonly Lazy<AddCommands>[];
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
        add: [async () => (await import('./commands/groups/index.ts')).addGroups],
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
        add: [async () => (await import('./commands/users/index.ts')).addUsers],
        variants: { create: async () => (await import('./commands/users/create-without-code.ts')).createWithoutCode },
        nouns: { factors: 'Manage MFA contacts of a user' },
      },
      {
        name: 'businesses',
        summary: 'Manage businesses and their roles',
        add: [
          async () => (await import('./commands/control-lists.ts')).addControlList,
          async () => (await import('./commands/control-details.ts')).addControlGet,
        ],
      },
      {
        name: 'corporate-groups',
        summary: 'Manage corporate groups of businesses',
        add: [async () => (await import('./commands/control-lists.ts')).addControlSearch],
      },
      {
        name: 'customers',
        summary: 'Manage customers: businesses and users by contract',
        add: [
          async () => (await import('./commands/control-lists.ts')).addControlList,
          async () => (await import('./commands/control-details.ts')).addControlGet,
        ],
      },
      {
        name: 'clients',
        summary: 'Manage client identities',
        add: [
          async () => (await import('./commands/control-lists.ts')).addControlList,
          async () => (await import('./commands/control-details.ts')).addControlGet,
          async () => (await import('./commands/update/add.ts')).addRouteUpdates,
          async () => (await import('./commands/clients/rotate.ts')).addRotate,
        ],
      },
      { name: 'my-clients', summary: 'Manage your own clients' },
      { name: 'services', summary: 'Manage service accounts of clients' },
    ],
  },
  {
    heading: 'Credentials and products:',
    commands: [
      {
        name: 'api-key',
        summary: 'Manage API keys of clients',
        add: [
          async () => (await import('./commands/control-lists.ts')).addControlSearch,
          async () => (await import('./commands/control-details.ts')).addControlGet,
          async () => (await import('./commands/clients/rotate.ts')).addRotate,
        ],
      },
      { name: 'factors', summary: 'Manage your own MFA contacts' },
      {
        name: 'token',
        summary: 'Obtain, issue and inspect tokens',
        add: [async () => (await import('./commands/token.ts')).addToken],
        replaced: { verify: 'token inspect --verify', status: 'token inspect --status' },
      },
      {
        name: 'keys',
        subcommands: [
          async () => (await import('./commands/keys.ts')).addKeysList,
          async () => (await import('./commands/keys.ts')).addKeysRotate,
        ],
      },
      {
        name: 'sessions',
        summary: 'Manage sessions of users and clients',
        add: [async () => (await import('./commands/sessions.ts')).addSessions],
      },
      { name: 'products', summary: 'Check product eligibility' },
    ],
  },
  {
    heading: 'Bulk and declarative:',
    commands: [
      {
        name: 'plan',
        title: 'Preview the changes of desired-state files',
        add: async () => (await import('./commands/plan/index.ts')).addPlan,
      },
      {
        name: 'apply',
        title: 'Apply desired-state files',
        add: async () => (await import('./commands/plan/index.ts')).addApply,
      },
      {
        name: 'diff',
        title: 'Compare the server with desired-state files',
        add: async () => (await import('./commands/plan/index.ts')).addDiff,
      },
      {
        name: 'export',
        title: 'Export resources as a desired-state file',
        add: async () => (await import('./commands/plan/index.ts')).addExport,
      },
      {
        name: 'bulk',
        summary: 'Run an operation for each row of a file',
        add: [async () => (await import('./commands/bulk.ts')).addBulk],
      },
    ],
  },
  {
    heading: 'Access:',
    commands: [
      {
        name: 'can',
        title: 'Check whether a user or service has a role',
        add: async () => (await import('./commands/can.ts')).addCan,
      },
      {
        name: 'why',
        title: 'Explain why a request was rejected',
        add: async () => (await import('./commands/why.ts')).addWhy,
      },
      {
        name: 'audit',
        title: 'List who changed what, newest first',
        add: async () => (await import('./commands/audit.ts')).addAudit,
      },
      {
        name: 'requests',
        summary: 'View the request log of the server',
        add: [async () => (await import('./commands/requests/requests.ts')).addRequests],
      },
    ],
  },
  {
    heading: 'Sign-in and settings:',
    commands: [
      {
        name: 'login',
        title: 'Sign in and store the tokens',
        add: async () => (await import('./commands/login/index.ts')).addLogin,
      },
      {
        name: 'logout',
        title: 'Sign out and delete the tokens of a profile',
        add: async () => (await import('./commands/login/index.ts')).addLogout,
      },
      {
        name: 'whoami',
        title: 'Show the current identity and its roles',
        add: async () => (await import('./commands/whoami.ts')).addWhoami,
      },
      {
        name: 'profile',
        summary: 'Manage profiles: named servers with credentials',
        add: [async () => (await import('./commands/profile/profile.ts')).addProfile],
      },
      {
        name: 'config',
        summary: 'View and change settings of this command',
        add: [async () => (await import('./commands/config.ts')).addConfig],
      },
      {
        name: 'doctor',
        title: 'Check settings, server and sign-in',
        add: async () => (await import('./commands/doctor/doctor.ts')).addDoctor,
      },
    ],
  },
  {
    heading: 'Local server:',
    commands: [
      {
        name: 'serve',
        title: 'Run the server in the foreground',
        add: async () => (await import('./commands/server/serve.ts')).addServe,
      },
      {
        name: 'server',
        summary: 'Manage the background server',
        add: [async () => (await import('./commands/server/index.ts')).addServer],
      },
      {
        name: 'env',
        title: 'Print environment variables of a server',
        add: async () => (await import('./commands/env.ts')).addEnv,
      },
      {
        name: 'inbox',
        summary: 'View messages that the server sent: codes and notices',
        add: [async () => (await import('./commands/inbox.ts')).addInbox],
      },
      {
        name: 'clock',
        title: 'Show or set the server clock',
        add: async () => (await import('./commands/clock.ts')).addClock,
        hasSubcommands: true,
      },
      {
        name: 'faults',
        summary: 'Manage injected faults',
        add: [async () => (await import('./commands/requests/faults.ts')).addFaults],
      },
      {
        name: 'events',
        title: 'Print the events of the server as they happen',
        add: async () => (await import('./commands/events.ts')).addEvents,
      },
      {
        name: 'coverage',
        title: 'Show which outcomes of operations were exercised',
        add: async () => (await import('./commands/coverage.ts')).addCoverage,
      },
      {
        name: 'metrics',
        title: 'Show requests, errors, logins and durations of the last hour',
        add: async () => (await import('./commands/metrics.ts')).addMetrics,
      },
      {
        name: 'sandbox',
        summary: 'Manage sandboxes: isolated services for tests',
        add: [async () => (await import('./commands/sandbox.ts')).addSandbox],
      },
      {
        name: 'state',
        summary: 'Reset, snapshot, export and import the state of a server',
        add: [async () => (await import('./commands/state/index.ts')).addState],
      },
      {
        name: 'store',
        summary: 'Verify, back up, copy and set up stores',
        add: [async () => (await import('./commands/store/index.ts')).addStore],
      },
      {
        name: 'import',
        summary: 'Convert exports of other services into a seed',
        add: [async () => (await import('./commands/import/import.ts')).addImport],
      },
    ],
  },
  {
    heading: 'Other:',
    commands: [
      {
        name: 'call',
        title: 'Call any operation by its id or command',
        add: async () => (await import('./commands/call.ts')).addCall,
      },
      {
        name: 'api',
        title: 'Send an authenticated request to any path',
        add: async () => (await import('./commands/api.ts')).addApi,
      },
      {
        name: 'conformance',
        title: 'Compare a deployment of the interface with this server',
        add: async () => (await import('./commands/conformance/conformance.ts')).addConformance,
      },
      {
        name: 'commands',
        title: 'List all commands and operations',
        add: async () => (await import('./commands/catalogue.ts')).addCatalogue,
      },
      {
        name: 'explain',
        title: 'Explain an operation, a field, an error code or a role',
        add: async () => (await import('./commands/explain/explain.ts')).addExplain,
      },
      {
        name: 'schema',
        title: 'Print the JSON Schema of a document',
        add: async () => (await import('./commands/schema/schema.ts')).addSchema,
      },
      {
        name: 'completion',
        summary: 'Generate completion scripts for bash, zsh and fish',
        add: [async () => (await import('./commands/completion/completion.ts')).addCompletion],
      },
      {
        name: 'help',
        title: 'Show help for a command or a topic',
        add: async () => (await import('./commands/help.ts')).addHelp,
      },
    ],
  },
];
